#include "runtime/intercept/intercept.h"

#include "runtime/intercept/faults.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/process.h"
#include "runtime/intercept/sockets.h"
#include "runtime/intercept/threads.h"

namespace bigfoot::rt::intercept {

void initialise() {
  Unwatched unwatched;
  resolve_all_real_functions();
  watch_threads();
  watch_sockets();
  watch_process();
  watch_faults();
}

}  // namespace bigfoot::rt::intercept
