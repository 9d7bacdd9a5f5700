// Memory that comes and goes: power-of-two size classes with free lists, on top of the arena.
//
// For clocks, synchronisation records and thread records. Contents are unspecified.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

void* pool_allocate(usize bytes);
void pool_free(void* p, usize bytes);  // the size it was allocated with
// Around fork: no other thread may be inside.
void pool_before_fork();
void pool_after_fork();

}  // namespace bigfoot::rt
