// Which shadow location stands for a location: the proxies of a placed program, applied to its
// heap.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/proxies/shadow_proxies.h"
#include "frontends/bfj/machine.h"
#include "frontends/bfj/place_program.h"

namespace bigfoot::bfj {

class ShadowMap {
 public:
  // Every location for itself.
  ShadowMap() = default;
  ShadowMap(std::map<proxies::Field, proxies::Field> fields, proxies::ArrayProxies arrays,
            proxies::Relation relation)
      : fields_(std::move(fields)), arrays_(std::move(arrays)), relation_(relation) {}

  // Itself, if it needs a shadow of its own.
  Location shadow_of(const Location& location, const std::vector<HeapObject>& heap) const;
  // What a race on these shadow locations is a race on. Without symmetry no more than is said.
  std::set<Location> stand_for(const std::set<Location>& shadows,
                               const std::vector<HeapObject>& heap) const;
  bool address_precise() const { return relation_ == proxies::Relation::Symmetric || empty(); }
  bool empty() const;

  const std::map<proxies::Field, proxies::Field>& fields() const { return fields_; }
  const proxies::ArrayProxies& arrays() const { return arrays_; }
  proxies::Relation relation() const { return relation_; }

 private:
  std::map<proxies::Field, proxies::Field> fields_;
  proxies::ArrayProxies arrays_;
  proxies::Relation relation_ = proxies::Relation::Symmetric;
};

// redcard has field and array proxies by span (RedCard, section 5), bigfoot field proxies by check
// (section 4); slimcard is redcard without array proxies.
struct ProxyOptions {
  proxies::Relation relation = proxies::Relation::Symmetric;
  bool arrays = false;    // of redcard
  bool by_check = false;  // bigfoot's rule instead of redcard's
};
ShadowMap compute_shadow_map(const PlacedProgram& placed, const ProxyOptions& options,
                             logic::Entailment& entailment);

// What GoodChecks has against it, whoever made it.
std::optional<std::string> reject_shadow_map(const PlacedProgram& placed, const ShadowMap& map,
                                             logic::Entailment& entailment);

}  // namespace bigfoot::bfj
