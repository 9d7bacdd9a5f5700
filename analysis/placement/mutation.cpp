#include "analysis/placement/mutation.h"

#ifdef BIGFOOT_MUTATIONS
namespace bigfoot::placement {
namespace {
Mutation active = Mutation::None;
}

Mutation active_mutation() {
  return active;
}
void activate_mutation(Mutation mutation) {
  active = mutation;
}

}  // namespace bigfoot::placement
#endif
