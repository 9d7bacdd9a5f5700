// operator new and delete in all their forms, under their mangled names: the run time is not C++ to
// the linker and brings nothing of the C++ library along.
//
// When there is no memory the C++ library's own operator takes over: it calls the new-handler and
// throws bad_alloc, or returns null, in exactly the library's way.
#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/memory.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {
using Nothrow = const void*;  // const std::nothrow_t&
using Align = usize;          // std::align_val_t
}  // namespace

#define BF_NEW(name)                                        \
  BF_INTERCEPTOR(void*, name, usize size) {                 \
    void* p = intercept::allocate({.size = size}, BF_PC()); \
    return BF_LIKELY(p != nullptr) ? p : real_##name(size); \
  }
#define BF_NEW_NOTHROW(name)                                   \
  BF_INTERCEPTOR(void*, name, usize size, Nothrow n) {         \
    void* p = intercept::allocate({.size = size}, BF_PC());    \
    return BF_LIKELY(p != nullptr) ? p : real_##name(size, n); \
  }
#define BF_NEW_ALIGNED(name)                                                \
  BF_INTERCEPTOR(void*, name, usize size, Align align) {                    \
    void* p = intercept::allocate({.size = size, .align = align}, BF_PC()); \
    return BF_LIKELY(p != nullptr) ? p : real_##name(size, align);          \
  }
#define BF_NEW_ALIGNED_NOTHROW(name)                                        \
  BF_INTERCEPTOR(void*, name, usize size, Align align, Nothrow n) {         \
    void* p = intercept::allocate({.size = size, .align = align}, BF_PC()); \
    return BF_LIKELY(p != nullptr) ? p : real_##name(size, align, n);       \
  }

BF_NEW(_Znwm)  // operator new(size_t)
BF_NEW(_Znam)  // operator new[](size_t)
BF_NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
BF_NEW_NOTHROW(_ZnamRKSt9nothrow_t)
BF_NEW_ALIGNED(_ZnwmSt11align_val_t)
BF_NEW_ALIGNED(_ZnamSt11align_val_t)
BF_NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t)
BF_NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t)

// The extra arguments of delete (size, alignment, nothrow) say nothing that we do not know.
#define BF_DELETE(name, ...)                        \
  BF_DEFINE(void, name, (void* p, ##__VA_ARGS__)) { \
    intercept::free_pointer(p, BF_PC());            \
  }

BF_DELETE(_ZdlPv)  // operator delete(void*)
BF_DELETE(_ZdaPv)  // operator delete[](void*)
BF_DELETE(_ZdlPvm, usize)
BF_DELETE(_ZdaPvm, usize)
BF_DELETE(_ZdlPvRKSt9nothrow_t, Nothrow)
BF_DELETE(_ZdaPvRKSt9nothrow_t, Nothrow)
BF_DELETE(_ZdlPvSt11align_val_t, Align)
BF_DELETE(_ZdaPvSt11align_val_t, Align)
BF_DELETE(_ZdlPvmSt11align_val_t, usize, Align)
BF_DELETE(_ZdaPvmSt11align_val_t, usize, Align)
BF_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, Align, Nothrow)
BF_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, Align, Nothrow)
