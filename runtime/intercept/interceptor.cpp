#include "runtime/intercept/interceptor.h"

#include <dlfcn.h>

#include "runtime/intercept/intercept.h"

extern "C" {
extern bigfoot::rt::intercept::RealFunction __start_bf_real[] __attribute__((visibility("hidden")));
extern bigfoot::rt::intercept::RealFunction __stop_bf_real[] __attribute__((visibility("hidden")));
}

namespace bigfoot::rt::intercept {

constinit thread_local Watching watching = {};

Unwatched::~Unwatched() {
  --watching.unwatched_depth;
  deliver_pending_signals();
}

void RealFunction::resolve() {
  if (load_relaxed(&address_) == nullptr) store_relaxed(&address_, dlsym(RTLD_NEXT, name_));
}

void* RealFunction::resolve_or_die() {
  resolve();
  if (address_ == nullptr) die("the program called a function that no library has", name_);
  return address_;
}

void resolve_all_real_functions() {
  static_assert(sizeof(Real<void()>) == sizeof(RealFunction));
  for (RealFunction* f = __start_bf_real; f != __stop_bf_real; ++f) f->resolve();
}

}  // namespace bigfoot::rt::intercept
