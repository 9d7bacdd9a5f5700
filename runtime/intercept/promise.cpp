// std::promise::set_value_at_thread_exit and its relatives: libstdc++ makes the shared state ready
// in a function of the library, run when the thread has destroyed its thread_local objects. Nobody
// sees the store there; who waits for the future reads it in the program.
//
// The element that the library keeps for the thread's end (bits as of GCC 5 and later):
//
//   next : 8 | function : 8 | shared state : 8 | its control block : 8 |
//
// Its function is replaced by one of ours, which releases what the waiting side acquires.
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {

struct SharedState {
  void* vtable;
  void* result;
  u32 status;  // the atomic that a future waits on
};
struct ControlBlock {
  void* vtable;
  int owners;
};
struct MakeReady {
  void* next;
  void (*run)(void*);
  SharedState* state;
  ControlBlock* block;  // alive as long as this element, the state only as long as it has owners
};

// The same for every element: a static function of the library.
void (*library_run)(void*);

void make_ready(void* element) {
  const auto* e = static_cast<const MakeReady*>(element);
  const Call call(0);
  if (!call) return library_run(element);
  if (load_relaxed(&e->block->owners) != 0)
    release(call.thread(), address_of(&e->state->status), call.pc());
  // The library may turn out to be the last owner. That the others are before its destruction of
  // the state is not seen either.
  ignore_accesses_begin(call.thread());
  library_run(element);
  ignore_accesses_end(call.thread());
}

}  // namespace

// std::__future_base::_State_baseV2::_Make_ready::_M_set()
BF_INTERCEPTOR(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, MakeReady* e) {
  real__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(e);
  const Call call(BF_PC());
  if (!call || e->block == nullptr) return;
  store_relaxed(&library_run, e->run);
  e->run = make_ready;
}
