// std::exception_ptr of libstdc++: its reference count lives in the library, where nobody sees that
// giving a reference up is before the destruction by whoever gives up the last one.
//
// The count is 128 bytes before the exception object (the size of __cxa_refcounted_exception in the
// Itanium C++ ABI as GCC implements it since 4.5). We take the count down ourselves; the last owner
// puts its own reference back, learns what the others did, and lets the library destroy the object.
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {
constexpr usize kHeaderBytes = 128;

struct ExceptionPtr {
  void* object;
  int* count() const { return reinterpret_cast<int*>(static_cast<char*>(object) - kHeaderBytes); }
};
}  // namespace

// std::__exception_ptr::exception_ptr::_M_release()
BF_INTERCEPTOR(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, ExceptionPtr* p) {
  const Call call(BF_PC());
  if (call && p->object != nullptr) {
    release(call.thread(), address_of(p->object), call.pc());
    if (fetch_add(p->count(), -1) != 1) return;
    store_relaxed(p->count(), 1);
    acquire(call.thread(), address_of(p->object), call.pc());
  }
  real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(p);
}
