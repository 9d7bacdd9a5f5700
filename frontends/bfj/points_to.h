// Which arrays a variable may hold: by allocation site, for the whole program at once, whatever the
// order of its statements. One set for each variable of a function, for each field name, and for
// the elements of all arrays together.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontends/bfj/ast.h"
#include "frontends/bfj/sites.h"

namespace bigfoot::bfj {

class PointsTo {
 public:
  using Sites = std::set<std::size_t>;  // indices of AllocationSites::sites
  // Both are used during construction only.
  PointsTo(const Program& program, const AllocationSites& sites);

  // Functions are numbered as in Lowered: methods class by class, then threads.
  const Sites& of_variable(std::size_t function, const std::string& name) const;

 private:
  struct Place {
    enum class Kind : std::uint8_t { Variable, Field, Elements } kind;
    std::size_t function = 0;
    std::string name = {};
    auto operator<=>(const Place&) const = default;
  };
  class Collector;

  std::set<std::pair<Place, Place>> flows_;
  std::map<Place, Sites> holds_;
};

}  // namespace bigfoot::bfj
