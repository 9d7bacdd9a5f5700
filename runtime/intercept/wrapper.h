// How a library wrapper (__bf_<name>, see abi/library_wrappers.def) is written.
#pragma once

#include "runtime/intercept/interceptor.h"

namespace bigfoot::rt::intercept {

inline void reads(const Call& call, const void* p, usize n) {
  if (call && n != 0) access_range(call.thread(), {address_of(p), n}, AccessKind::kRead, call.pc());
}
inline void writes(const Call& call, const void* p, usize n) {
  if (call && n != 0)
    access_range(call.thread(), {address_of(p), n}, AccessKind::kWrite, call.pc());
}

}  // namespace bigfoot::rt::intercept

#define BF_WRAPPER_OF(result, name, parameters)                                    \
  BF_REAL(result, name, parameters)                                                \
  extern "C" __attribute__((visibility("default"))) result __bf_##name parameters; \
  result __bf_##name parameters

#define BF_WRAPPER(result, name, ...) BF_WRAPPER_OF(result, name, (__VA_ARGS__))
