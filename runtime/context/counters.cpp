#include "runtime/context/counters.h"

#include "runtime/base/atomic.h"
#include "runtime/base/spin_lock.h"

extern "C" {
// Instrumented code counts here.
extern constinit thread_local bigfoot::abi::AccessCounters __bf_counters
    __attribute__((tls_model("initial-exec")));
__attribute__((
    visibility("default"),
    tls_model(
        "initial-exec"))) constinit thread_local bigfoot::abi::AccessCounters __bf_counters = {};
}

namespace bigfoot::rt {
namespace {

using abi::AccessCounters;

struct Listed {
  AccessCounters* counters;
  Listed* next;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Listed mine = {};

struct Registry {
  SpinLock lock;
  Listed* first = nullptr;
  AccessCounters ended = {};
};
constinit Registry registry;

void add(AccessCounters& to, const AccessCounters& from) {
  to.accesses += load_relaxed(&from.accesses);
  to.single_checks += load_relaxed(&from.single_checks);
  to.range_checks += load_relaxed(&from.range_checks);
  to.strided_checks += load_relaxed(&from.strided_checks);
  to.range_elements += load_relaxed(&from.range_elements);
}

}  // namespace

void counters_attach() {
  SpinGuard guard(registry.lock);
  mine = {&__bf_counters, registry.first};
  registry.first = &mine;
}

void counters_detach() {
  SpinGuard guard(registry.lock);
  for (Listed** p = &registry.first; *p != nullptr; p = &(*p)->next)
    if (*p == &mine) {
      *p = mine.next;
      break;
    }
  add(registry.ended, __bf_counters);
  __bf_counters = {};
}

void counters_forked_child() {
  registry.lock.reset_after_fork();
  mine = {&__bf_counters, nullptr};
  registry.first = &mine;
}

AccessCounters counter_totals() {
  SpinGuard guard(registry.lock);
  AccessCounters total = registry.ended;
  for (const Listed* l = registry.first; l != nullptr; l = l->next) add(total, *l->counters);
  return total;
}

}  // namespace bigfoot::rt
