#include "frontends/bfj/shadow_map.h"

#include <algorithm>
#include <memory>

#include "analysis/placement/proxies.h"
#include "frontends/bfj/points_to.h"

namespace bigfoot::bfj {
namespace {

// What the proxy analysis wants to know of a program, and what that refers to.
struct View {
  std::vector<const ir::Plan*> plans;
  std::vector<std::map<ir::SymbolId, std::set<std::size_t>>> sites_of;  // by function
  proxies::Arrays arrays;

  explicit View(const PlacedProgram& placed) {
    for (const auto& f : placed.placement.functions) plans.push_back(&f.plan);
    const AllocationSites sites = allocation_sites(placed.program);
    for (const AllocationSites::Site& s : sites.sites) arrays.sites.push_back({s.length});
    const PointsTo points_to(placed.program, sites);
    sites_of.resize(placed.functions.size());
    for (std::size_t f = 0; f < placed.functions.size(); ++f) {
      for (const Binding& b : placed.functions[f].bindings) {
        // Whoever holds a value says truly what it may be; the first does.
        if (b.value.is_symbol()) {
          sites_of[f].emplace(b.value.symbol(), points_to.of_variable(f, b.variable));
        }
      }
    }
    arrays.sites_of = [this](ir::FunctionId f, ir::SymbolId base) {
      const auto it = sites_of[index_of(f)].find(base);
      return it == sites_of[index_of(f)].end() ? nullptr : &it->second;
    };
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
};

}  // namespace

bool ShadowMap::empty() const {
  return fields_.empty() &&
         std::none_of(arrays_.begin(), arrays_.end(), [](const auto& p) { return p.has_value(); });
}

Location ShadowMap::shadow_of(const Location& location, const std::vector<HeapObject>& heap) const {
  Location shadow = location;
  if (!location.is_element) {
    const auto it = fields_.find(location.unit);
    if (it != fields_.end()) shadow.unit = static_cast<std::uint32_t>(it->second);
    return shadow;
  }
  const HeapObject& array = heap[location.object];
  const std::size_t site = index_of(array.site);
  // Elements outside the array are nobody's business but their own (see Machine::check).
  if (location.unit >= array.units || site >= arrays_.size() || !arrays_[site]) return shadow;
  shadow.unit = static_cast<std::uint32_t>(arrays_[site]->of(location.unit));
  return shadow;
}

std::set<Location> ShadowMap::stand_for(const std::set<Location>& shadows,
                                        const std::vector<HeapObject>& heap) const {
  if (!address_precise() || empty()) return shadows;
  std::set<Location> all = shadows;
  for (const Location& s : shadows) {
    for (std::uint32_t u = 0; u < heap[s.object].units; ++u) {
      const Location l{s.object, u, s.is_element};
      if (shadow_of(l, heap) == s) all.insert(l);
    }
  }
  return all;
}

ShadowMap compute_shadow_map(const PlacedProgram& placed, const ProxyOptions& options,
                             logic::Entailment& entailment) {
  const View view(placed);
  const proxies::Placed plans{placed.analysed, view.plans};
  const auto proxies_of = options.by_check ? placement::compute_field_proxies(view.plans).proxies_of
                                           : proxies::field_proxies(plans, entailment);
  proxies::ArrayProxies arrays;
  if (options.arrays) {
    arrays = proxies::array_proxies(plans, view.arrays, options.relation, entailment);
  }
  return {proxies::representatives(proxies_of, options.relation), std::move(arrays),
          options.relation};
}

std::optional<std::string> reject_shadow_map(const PlacedProgram& placed, const ShadowMap& map,
                                             logic::Entailment& entailment) {
  const View view(placed);
  return proxies::reject({placed.analysed, view.plans}, view.arrays, map.fields(), map.arrays(),
                         map.relation(), entailment);
}

}  // namespace bigfoot::bfj
