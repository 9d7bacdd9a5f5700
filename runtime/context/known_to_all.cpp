#include "runtime/context/known_to_all.h"

#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"

namespace bigfoot::rt {

bool look_at_all_clocks(const Thread& me, CommonPast& past) {
  struct Look {
    CommonPast& past;
    u32 threads;
    static void see(void* self, Thread& t) {
      auto& look = *static_cast<Look*>(self);
      // On its way out: it accesses nothing any more, and is not counted as live.
      if (runtime.threads[static_cast<u32>(t.id)].finished) return;
      look.past.add(t.knows, t.slot);
      ++look.threads;
    }
  };
  past.start(runtime.slots.count());
  past.add(me.knows, me.slot);
  Look look{past, 1};
  visit_stopped_threads(Look::see, &look);
  return look.threads == load_relaxed(&runtime.live);
}

}  // namespace bigfoot::rt
