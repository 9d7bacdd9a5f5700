// Shadow proxies (RedCard, section 5): locations that need no shadow of their own, because some
// other location of the same object is covered by checks whenever they are.
//
//   f is a proxy for g        every access to p.g has p.f as a covered companion (companions.h)
//   F(i) is a proxy for i     the same for the elements of all arrays allocated at one place, where
//   F
//                             is one of  i -> c,  i -> (i div k) * k,  i -> i mod k
//
// Checks of what has a proxy can be left out: a race there is a race on the proxy as well. The
// other way round holds for symmetric relations only; with those, a race on a proxy is a race on
// everything it stands for, and no address is lost.
//
// Like everything that makes checks go, a relation holds if it is proved and not otherwise: all are
// conjectured, and each access refutes those of which it is not known that they hold for it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/ir/plan.h"
#include "analysis/logic/entailment.h"

namespace bigfoot::proxies {

using Field = std::int64_t;                          // a unit of Space::Fields
using ProxiesOf = std::map<Field, std::set<Field>>;  // itself excluded

// F(i).
struct IndexProxy {
  enum class Form : std::uint8_t { Constant, Chunk, Modulo } form;
  std::int64_t k;

  std::int64_t of(std::int64_t index) const;
  std::string text() const;  // "i -> i mod 4"
  auto operator<=>(const IndexProxy&) const = default;
};

// Those that are tried, best first for long arrays: the relations of RedCard's section 6, and k
// = 2.
const std::vector<IndexProxy>& candidate_index_proxies();

// Where arrays come from, as far as a front end knows.
struct Arrays {
  struct Site {
    std::optional<std::int64_t> length;
  };
  std::vector<Site> sites;
  // The sites a base may come from; null: any.
  std::function<const std::set<std::size_t>*(ir::FunctionId, ir::SymbolId)> sites_of;
};

// A placement that GoodChecks accepts.
struct Placed {
  const ir::Program& program;
  const std::vector<const ir::Plan*>& plans;
  bool assume_termination = false;
};

enum class Relation : std::uint8_t { Any, Symmetric };

ProxiesOf field_proxies(const Placed& placed, logic::Entailment& entailment);

// One for each site that has one.
using ArrayProxies = std::vector<std::optional<IndexProxy>>;
ArrayProxies array_proxies(const Placed& placed, const Arrays& arrays, Relation relation,
                           logic::Entailment& entailment);

// Which field's shadow stands for each field that needs none of its own. No representative has one.
std::map<Field, Field> representatives(const ProxiesOf& proxies_of, Relation relation);

// The independent view: what is wrong with these proxies, whoever computed them.
std::optional<std::string> reject(const Placed& placed, const Arrays& arrays,
                                  const std::map<Field, Field>& fields,
                                  const ArrayProxies& of_sites, Relation relation,
                                  logic::Entailment& entailment);

}  // namespace bigfoot::proxies
