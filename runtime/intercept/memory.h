// Allocation for the program with all events, shared by malloc and operator new.
#pragma once

#include "runtime/base/types.h"
#include "runtime/heap/heap.h"

namespace bigfoot::rt::intercept {

struct AllocationRequest {
  usize size;
  usize align = heap::kMinAlign;
  bool zeroed = false;
};
// Null if there is no memory; errno is the caller's business.
void* allocate(const AllocationRequest& r, Pc pc);
// What free does: null is fine, memory that is not ours goes to the C library.
void free_pointer(void* p, Pc pc);

}  // namespace bigfoot::rt::intercept
