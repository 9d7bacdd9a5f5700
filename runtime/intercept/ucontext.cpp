// Contexts of <ucontext.h>: each is a logical thread, because what it does is one sequence on
// whatever OS thread it runs. Going from one to another is the program's own step, so it orders:
// what the old one has done is before what the new one does.
//
// A context is known by its stack. The stack pointer saved in a ucontext_t says whose it is, also
// of a copy; one that is on no stack given to makecontext is the OS thread's own. (getcontext,
// which returns twice, is left alone: nothing has to be known of it.)
#include <stdarg.h>
#include <ucontext.h>

#include "runtime/base/pool.h"
#include "runtime/base/spin_lock.h"
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

// Called as a function of as many parameters as are ever passed: those beyond `count` are not
// looked at.
BF_REAL(void, makecontext,
        (ucontext_t*, void (*)(), int, long, long, long, long, long, long, long, long, long, long,
         long, long))

namespace {

// More than any ABI passes in registers; the C library has no limit, programs pass two or three.
constexpr int kMaxArguments = 12;

struct Context {
  ByteRange stack;
  Fiber* fiber;
  void (*entry)();
  long arguments[kMaxArguments];
  ucontext_t* link;  // where to go on when it ends
  Context* next;
};

struct Contexts {
  SpinLock lock;
  Context* first = nullptr;  // the latest one found or made
};
constinit Contexts contexts;

// The logical thread that the OS thread was before its first context.
[[gnu::tls_model("initial-exec")]] constinit thread_local Fiber* own_fiber = nullptr;

// The context whose stack overlaps these bytes, taken out of the list; null if there is none.
Context* take_out(ByteRange stack) {
  SpinGuard guard(contexts.lock);
  for (Context** link = &contexts.first; *link != nullptr; link = &(*link)->next) {
    Context* c = *link;
    if (c->stack.begin >= stack.end() || stack.begin >= c->stack.end()) continue;
    *link = c->next;
    return c;
  }
  return nullptr;
}

void put_in(Context* c) {
  SpinGuard guard(contexts.lock);
  c->next = contexts.first;
  contexts.first = c;
}

Fiber* fiber_at(uptr stack_pointer) {
  Context* c = take_out({stack_pointer, 1});
  if (c == nullptr) return own_fiber;
  put_in(c);
  return c->fiber;
}

void go_to(const Call& call, const ucontext_t* to) {
  if (own_fiber == nullptr) own_fiber = fiber_current();
  Fiber* next = fiber_at(static_cast<uptr>(to->uc_mcontext.gregs[REG_RSP]));
  if (next != fiber_current()) fiber_switch(call.thread(), next, {.ordered = true}, call.pc());
}

void destroy(const Call& call, Context* c) {
  fiber_destroy(call.thread(), c->fiber, call.pc());
  pool_free(c, sizeof(Context));
}

// The program's function has returned: the context is over, and the C library goes on with the next
// one.
void context_ends(Context* c) {
  const Call call(BF_PC());
  if (!call) return;
  if (c->link != nullptr)
    go_to(call, c->link);
  else if (own_fiber != nullptr)
    fiber_switch(call.thread(), own_fiber, {.ordered = true}, call.pc());
  if (take_out(c->stack) == c) destroy(Call(call.pc()), c);
}

void start_context(unsigned low, unsigned high) {
  auto* c = reinterpret_cast<Context*>(static_cast<uptr>(high) << 32 | low);
  const long* a = c->arguments;
  using Entry = void (*)(long, long, long, long, long, long, long, long, long, long, long, long);
  reinterpret_cast<Entry>(c->entry)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                    a[10], a[11]);
  context_ends(c);
}

// A stack that is used again: whatever was there before is over.
void forget_older(const Call& call, ByteRange stack) {
  while (Context* old = take_out(stack)) destroy(call, old);
}

}  // namespace

BF_DEFINE(void, makecontext, (ucontext_t * ucp, void (*entry)(), int count, ...)) {
  const Call call(BF_PC());
  Context made{};
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count && i < kMaxArguments; ++i) made.arguments[i] = va_arg(list, long);
  va_end(list);
  if (count > kMaxArguments) die("makecontext", "more than 12 arguments");
  if (!call) {
    const long* a = made.arguments;
    real_makecontext(ucp, entry, count, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                     a[10], a[11]);
    return;
  }
  made.stack = {address_of(ucp->uc_stack.ss_sp), ucp->uc_stack.ss_size};
  made.entry = entry;
  made.link = ucp->uc_link;
  forget_older(call, made.stack);
  stack_begins(call.thread(), made.stack);
  made.fiber = fiber_create(call.thread(), made.stack.size, call.pc());
  if (made.fiber == nullptr) die("makecontext", "no room for one more thread with such a stack");
  auto* c = static_cast<Context*>(pool_allocate(sizeof(Context)));
  *c = made;
  put_in(c);
  const uptr address = address_of(c);
  real_makecontext(ucp, reinterpret_cast<void (*)()>(start_context), 2,
                   static_cast<long>(address & 0xffffffff), static_cast<long>(address >> 32), 0, 0,
                   0, 0, 0, 0, 0, 0, 0, 0);
}

BF_INTERCEPTOR(int, setcontext, const ucontext_t* ucp) {
  if (const Call call(BF_PC()); call) go_to(call, ucp);
  return real_setcontext(ucp);
}

// Comes back when somebody goes to `from`, perhaps on another OS thread; who does has told.
BF_INTERCEPTOR(int, swapcontext, ucontext_t* from, const ucontext_t* to) {
  if (const Call call(BF_PC()); call) go_to(call, to);
  return real_swapcontext(from, to);
}
