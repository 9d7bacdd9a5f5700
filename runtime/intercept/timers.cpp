// Timers that expire in a thread of their own (SIGEV_THREAD). The C library makes these threads
// unseen; who made or armed the timer is before the function it runs.
#include <signal.h>
#include <time.h>

#include "runtime/base/pool.h"
#include "runtime/intercept/hold_signals.h"
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {

// Lives as long as the process: the last expiry may come at any time after timer_delete.
struct TimerFunction {
  void (*function)(sigval);
  sigval value;
};

// One object for all timers: timer_settime knows only the kernel's number of the timer, and a timer
// may expire before timer_create has told us which.
char armed;

void expired(sigval record) {
  const auto* f = static_cast<const TimerFunction*>(record.sival_ptr);
  if (const Call call(0); call) acquire(call.thread(), address_of(&armed), 0);
  f->function(f->value);
}

TimerFunction* make_function(const sigevent& event) {
  HoldSignals hold;
  auto* f = static_cast<TimerFunction*>(pool_allocate(sizeof(TimerFunction)));
  *f = {event.sigev_notify_function, event.sigev_value};
  return f;
}

}  // namespace

BF_INTERCEPTOR(int, timer_create, clockid_t clock, sigevent* event, timer_t* timer) {
  const Call call(BF_PC());
  if (!call || event == nullptr || event->sigev_notify != SIGEV_THREAD)
    return real_timer_create(clock, event, timer);
  release(call.thread(), address_of(&armed), call.pc());
  sigevent ours = *event;
  ours.sigev_notify_function = expired;
  ours.sigev_value.sival_ptr = make_function(*event);
  return real_timer_create(clock, &ours, timer);
}

BF_INTERCEPTOR(int, timer_settime, timer_t timer, int flags, const itimerspec* value,
               itimerspec* old) {
  const Call call(BF_PC());
  if (call) release(call.thread(), address_of(&armed), call.pc());
  return real_timer_settime(timer, flags, value, old);
}
