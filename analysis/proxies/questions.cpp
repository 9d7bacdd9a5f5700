#include "analysis/proxies/questions.h"

namespace bigfoot::proxies {
namespace {

std::vector<Alternative> whole(const Arrays::Site& site) {
  if (!site.length) return {};
  return {{logic::block(0, *site.length)}};
}

// One alternative for each remainder the index may have, or for the one it is known to have.
template <class Make>
std::vector<Alternative> by_remainder(const ir::LinearExpr& i, std::int64_t k, Make make) {
  if (const auto known = logic::constant_remainder(i, k)) return {{make(*known)}};
  std::vector<Alternative> all;
  for (std::int64_t c = 0; c < k; ++c) all.push_back({make(c), ir::Atom::congruent(i, c, k)});
  return all;
}

}  // namespace

std::vector<Alternative> companions_of(const ir::Range& element, const IndexProxy& proxy,
                                       Relation relation, const Arrays::Site& site) {
  if (element.constant_length() != 1) return {};
  const ir::LinearExpr& i = element.begin;
  const std::int64_t k = proxy.k;
  const bool symmetric = relation == Relation::Symmetric;
  std::vector<Alternative> all;
  if (symmetric) all = whole(site);
  const auto add = [&](std::vector<Alternative> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  switch (proxy.form) {
    case IndexProxy::Form::Constant:
      if (!symmetric) add({{logic::block(k, 1)}});
      break;
    case IndexProxy::Form::Chunk:
      add(by_remainder(i, k,
                       [&](std::int64_t c) { return logic::block(i - c, symmetric ? k : 1); }));
      // All proxies up to the element are enough, wherever in its chunk it is.
      if (!symmetric) add({{logic::make_range(0, i + 1, k, 1)}});
      break;
    case IndexProxy::Form::Modulo:
      if (symmetric && !site.length) break;
      add(by_remainder(i, k, [&](std::int64_t c) {
        return symmetric ? logic::make_range(c, *site.length, k, 1) : logic::block(c, 1);
      }));
      break;
  }
  return all;
}

}  // namespace bigfoot::proxies
