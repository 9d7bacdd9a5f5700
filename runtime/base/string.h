// The few memory and string functions the run time needs, under names nobody can interpose.
#pragma once

#include "runtime/base/types.h"

namespace bigfoot::rt {

inline usize length(const char* s) {
  usize n = 0;
  while (s[n] != 0) ++n;
  return n;
}
inline bool equal(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}
inline bool equal(const char* a, const char* b, usize n) {
  for (usize i = 0; i < n; ++i)
    if (a[i] != b[i]) return false;
  return true;
}
inline bool starts_with(const char* s, const char* prefix) {
  while (*prefix != 0)
    if (*s++ != *prefix++) return false;
  return true;
}
void copy_bytes(void* to, const void* from, usize n);
void zero_bytes(void* p, usize n);

}  // namespace bigfoot::rt
