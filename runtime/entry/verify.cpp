// The C ABI of builds that are verified. See abi/entry_points.def.
#include "runtime/context/verify.h"

using namespace bigfoot::rt;

#define BF_EXPORT extern "C" __attribute__((visibility("default")))
#define BF_HERE reinterpret_cast<uptr>(__builtin_return_address(0))

BF_EXPORT void __bf_log_access(void* p, u64 bytes, u32 writes) {
  log_access({reinterpret_cast<uptr>(p), bytes}, writes != 0, BF_HERE);
}
BF_EXPORT void __bf_log_check(void* p, i64 extent, u64 step, u64 width, u32 writes) {
  log_check({reinterpret_cast<uptr>(p), extent, step, width, writes != 0}, BF_HERE);
}
