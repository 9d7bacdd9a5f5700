#include "analysis/proxies/shadow_proxies.h"

#include <algorithm>

#include "analysis/placement/mutation.h"
#include "analysis/proxies/questions.h"

namespace bigfoot::proxies {
namespace {

using ir::AccessKind;
using placement::mutated;
using placement::Mutation;

std::set<Field> fields_of(const ir::Range& r) {
  std::set<Field> fields;
  for (Field u = r.begin.constant(); u < r.end.constant(); ++u) fields.insert(u);
  return fields;
}

// The fewest shadow locations for an array of this length.
std::int64_t locations(const IndexProxy& proxy, std::int64_t length) {
  std::set<std::int64_t> used;
  for (std::int64_t i = 0; i < length; ++i) used.insert(proxy.of(i));
  return static_cast<std::int64_t>(used.size());
}

std::optional<IndexProxy> best(const std::set<IndexProxy>& valid, const Arrays::Site& site) {
  constexpr std::int64_t kLong = 64;  // unknown lengths are taken for long ones
  const std::int64_t length = std::min(site.length.value_or(kLong), kLong);
  std::optional<IndexProxy> chosen;
  for (const IndexProxy& candidate : candidate_index_proxies()) {
    if (!valid.contains(candidate)) continue;
    if (!chosen || locations(candidate, length) < locations(*chosen, length)) chosen = candidate;
  }
  return chosen;
}

}  // namespace

std::int64_t IndexProxy::of(std::int64_t index) const {
  switch (form) {
    case Form::Constant:
      return k;
    case Form::Chunk:
      return index / k * k;
    case Form::Modulo:
      return index % k;
  }
  return index;
}

std::string IndexProxy::text() const {
  const std::string number = std::to_string(k);
  if (form == Form::Constant) return "i -> " + number;
  if (form == Form::Modulo) return "i -> i mod " + number;
  return "i -> (i div " + number + ") * " + number;
}

const std::vector<IndexProxy>& candidate_index_proxies() {
  using Form = IndexProxy::Form;
  static const std::vector<IndexProxy> kAll{
      {Form::Constant, 0}, {Form::Constant, 1}, {Form::Modulo, 2}, {Form::Modulo, 4},
      {Form::Modulo, 8},   {Form::Chunk, 8},    {Form::Chunk, 4},  {Form::Chunk, 2}};
  return kAll;
}

ProxiesOf field_proxies(const Placed& placed, logic::Entailment& entailment) {
  std::set<Field> all;
  for_each_access(placed.program, ir::Space::Fields,
                  [&](ir::FunctionId, const ir::Access& a) { all.merge(fields_of(a.path.range)); });
  struct Pair {
    Field of, proxy;
  };
  Questions<Pair> questions(placed.program);
  for_each_access(placed.program, ir::Space::Fields, [&](ir::FunctionId f, const ir::Access& a) {
    const AccessKind kind = mutated(Mutation::FieldProxyReadForWrite) ? AccessKind::Read : a.kind;
    for (Field y : fields_of(a.path.range)) {
      for (Field x : all) {
        if (x != y) questions.ask(f, a, kind, {{logic::block(x, 1)}}, {y, x});
      }
    }
  });
  ProxiesOf result;
  for (Field y : all) {
    result[y] = all;
    result[y].erase(y);
  }
  questions.answer(placed, entailment, [&](const Pair& p) {
    if (!mutated(Mutation::FieldProxyNotRefuted)) result[p.of].erase(p.proxy);
  });
  return result;
}

ArrayProxies array_proxies(const Placed& placed, const Arrays& arrays, Relation relation,
                           logic::Entailment& entailment) {
  const auto& candidates = candidate_index_proxies();
  std::vector<std::set<IndexProxy>> valid(
      arrays.sites.size(), std::set<IndexProxy>(candidates.begin(), candidates.end()));
  struct Conjecture {
    std::size_t site;
    IndexProxy proxy;
  };
  Questions<Conjecture> questions(placed.program);
  for_each_access(placed.program, ir::Space::Elements, [&](ir::FunctionId f, const ir::Access& a) {
    const std::set<std::size_t>* of_base = arrays.sites_of(f, a.path.base);
    if (of_base == nullptr && mutated(Mutation::ArrayProxyIgnoresUnknownBases)) return;
    for (std::size_t s = 0; s < arrays.sites.size(); ++s) {
      if (of_base != nullptr && !of_base->contains(s)) continue;
      for (const IndexProxy& proxy : candidates) {
        const AccessKind kind =
            mutated(Mutation::ArrayProxyReadForWrite) ? AccessKind::Read : a.kind;
        questions.ask(f, a, kind, companions_of(a.path.range, proxy, relation, arrays.sites[s]),
                      {s, proxy});
      }
    }
  });
  questions.answer(placed, entailment, [&](const Conjecture& c) {
    if (!mutated(Mutation::ArrayProxyNotRefuted)) valid[c.site].erase(c.proxy);
  });
  ArrayProxies result;
  for (std::size_t s = 0; s < arrays.sites.size(); ++s) {
    result.push_back(best(valid[s], arrays.sites[s]));
  }
  return result;
}

std::map<Field, Field> representatives(const ProxiesOf& proxies_of, Relation relation) {
  const bool symmetric =
      relation == Relation::Symmetric && !mutated(Mutation::FieldProxyTakenForSymmetric);
  const auto stands_for = [&](Field x, Field y) {
    const auto of_y = proxies_of.find(y);
    if (of_y == proxies_of.end() || !of_y->second.contains(x)) return false;
    const auto of_x = proxies_of.find(x);
    return !symmetric || (of_x != proxies_of.end() && of_x->second.contains(y));
  };
  std::map<Field, Field> result;
  // From the last field on, so that the first of a group becomes its representative.
  for (auto it = proxies_of.rbegin(); it != proxies_of.rend(); ++it) {
    const Field y = it->first;
    for (Field x : it->second) {
      const bool for_all = std::all_of(result.begin(), result.end(), [&](const auto& r) {
        return r.second != y || stands_for(x, r.first);
      });
      if (result.contains(x) || !stands_for(x, y) || !for_all) continue;
      for (auto& [z, proxy] : result) {
        if (proxy == y) proxy = x;
      }
      result.emplace(y, x);
      break;
    }
  }
  return result;
}

std::optional<std::string> reject(const Placed& placed, const Arrays& arrays,
                                  const std::map<Field, Field>& fields,
                                  const ArrayProxies& of_sites, Relation relation,
                                  logic::Entailment& entailment) {
  const std::string kNotInQuestion;
  Questions<std::string> questions(placed.program);
  const auto ask_field = [&](ir::FunctionId f, const ir::Access& a, Field y, Field x) {
    questions.ask(f, a, a.kind, {{logic::block(x, 1)}},
                  "field " + std::to_string(x) + " is not covered with field " + std::to_string(y));
  };
  for_each_access(placed.program, ir::Space::Fields, [&](ir::FunctionId f, const ir::Access& a) {
    for (Field y : fields_of(a.path.range)) {
      for (const auto& [member, proxy] : fields) {
        if (member == y) ask_field(f, a, y, proxy);
        if (proxy == y && relation == Relation::Symmetric) ask_field(f, a, y, member);
      }
    }
  });
  for_each_access(placed.program, ir::Space::Elements, [&](ir::FunctionId f, const ir::Access& a) {
    const std::set<std::size_t>* of_base = arrays.sites_of(f, a.path.base);
    for (std::size_t s = 0; s < of_sites.size(); ++s) {
      if (!of_sites[s] || (of_base != nullptr && !of_base->contains(s))) continue;
      questions.ask(f, a, a.kind,
                    companions_of(a.path.range, *of_sites[s], relation, arrays.sites[s]),
                    "site " + std::to_string(s) + " has not " + of_sites[s]->text());
      // The other relations are asked for the sake of their paths: each is one more to try where
      // control joins, and may be what the one in question follows from.
      for (const IndexProxy& other : candidate_index_proxies()) {
        questions.ask(f, a, a.kind, companions_of(a.path.range, other, relation, arrays.sites[s]),
                      kNotInQuestion);
      }
    }
  });
  std::optional<std::string> wrong;
  questions.answer(placed, entailment, [&](const std::string& what) {
    if (!wrong && what != kNotInQuestion) wrong = what;
  });
  return wrong;
}

}  // namespace bigfoot::proxies
