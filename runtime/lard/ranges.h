// What is asked of the ranges that callers of lard.h name.
#pragma once

#include "include/bigfoot/lard.h"
#include "runtime/base/types.h"

namespace bigfoot::rt::lard {

inline uptr address_of(const void* p) {
  return reinterpret_cast<uptr>(p);
}

// Null if the bytes are memory a program can have; otherwise what is wrong with them.
const char* complaint_about(ByteRange bytes);

// The same for a list of `count` things that a caller handed over.
const char* complaint_about_list(const void* list, usize count, usize bytes_each);
template <class T>
const char* complaint_about_list(const T* list, usize count) {
  return complaint_about_list(list, count, sizeof(T));
}

// Null if the transfers can be done one after the other without destroying what a later one needs.
const char* complaint_about(const bf_lard_transfer* transfers, usize count);

}  // namespace bigfoot::rt::lard
