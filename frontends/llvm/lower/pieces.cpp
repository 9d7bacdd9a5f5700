#include "frontends/llvm/lower/pieces.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace bigfoot::frontend {
namespace {

using ir::LinearExpr;

// How far into the check's range an access begins, if that is a constant.
std::optional<std::int64_t> distance(const LoweredFunction& f, const ir::PlacedCheck& c,
                                     const LinearExpr& begin, ir::AccessId id) {
  const ir::Path& path = f.paths[index_of(id)];
  const LinearExpr d = path.range.begin - begin;
  if (path.base == c.check.base && d.is_constant()) return d.constant();
  return std::nullopt;
}

// One piece for each access, so that each is reported as what it is.
SmallRange range_of(const LoweredFunction& f, const ir::PlacedCheck& c, const LinearExpr& begin,
                    std::int64_t length, const std::vector<ir::AccessId>& who) {
  std::vector<Piece> all;
  for (ir::AccessId id : who) {
    if (f.accesses[index_of(id)].length != nullptr) continue;
    const auto bytes = static_cast<std::int64_t>(f.accesses[index_of(id)].bytes);
    const auto d = distance(f, c, begin, id);
    // Under another name (a phi's operand) the access is recognised by its size.
    if (!d && bytes != length) continue;
    all.push_back({d.value_or(0), bytes, id});
  }
  std::erase_if(all, [&](const Piece& p) { return p.begin < 0 || p.begin + p.bytes > length; });
  std::sort(all.begin(), all.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.begin, b.bytes, a.access) < std::tie(b.begin, a.bytes, b.access);
  });
  std::int64_t done = 0;
  std::vector<Piece> chosen;
  for (const Piece& p : all) {
    if (p.begin + p.bytes <= done) continue;  // checked as part of a larger access
    if (p.begin > done) break;
    chosen.push_back(p);
    done = p.begin + p.bytes;
  }
  if (done < length) return {begin, {{0, length, who.front()}}, false};
  return {begin, std::move(chosen), true};
}

}  // namespace

std::vector<ir::AccessId> answers_for(const ir::PlacedCheck& c) {
  std::vector<ir::AccessId> all;
  for (const ir::Covered& covered : c.stands_for)
    if (covered.standing != ir::Covered::Standing::Also) all.push_back(covered.access);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<ir::AccessId> alternatives_to(const ir::PlacedCheck& check, ir::AccessId named) {
  std::set<ir::Range> parts;
  for (const ir::Covered& c : check.stands_for)
    if (c.access == named && c.standing == ir::Covered::Standing::OneOf) parts.insert(c.part);
  std::set<ir::AccessId> others;
  for (const ir::Covered& c : check.stands_for)
    if (c.access != named && c.standing == ir::Covered::Standing::OneOf && parts.contains(c.part))
      others.insert(c.access);
  return {others.begin(), others.end()};
}

std::vector<ir::PlacedCheck> parts_of(const ir::PlacedCheck& check) {
  std::map<ir::Range, std::vector<ir::Covered>> parts;
  for (const ir::Covered& c : check.stands_for) parts[c.part].push_back(c);
  std::vector<ir::PlacedCheck> result;
  for (auto& [range, covered] : parts) {
    result.push_back({check.point, check.check, std::move(covered), check.rule});
    result.back().check.ranges = {range};
  }
  return result;
}

namespace {

bool is_small(const ir::Range& r, std::int64_t most_bytes = kMaxSingleBytes) {
  const LinearExpr extent = r.end - r.begin;
  return extent.is_constant() &&
         extent.constant() <= (r.contiguous() ? most_bytes : kMaxSingleBytes);
}

std::vector<SmallRange> elements_of(const LoweredFunction& f, const ir::PlacedCheck& c,
                                    const ir::Range& r) {
  const std::int64_t extent = (r.end - r.begin).constant();
  const std::vector<ir::AccessId> who = answers_for(c);
  if (r.contiguous()) return {range_of(f, c, r.begin, extent, who)};
  std::vector<SmallRange> all;
  for (std::int64_t at = 0; at < extent; at += r.step)
    all.push_back(range_of(f, c, r.begin + at, r.width, who));
  return all;
}

}  // namespace

std::vector<SmallRange> small_ranges(const LoweredFunction& f, const ir::PlacedCheck& c,
                                     const ir::Range& r, std::int64_t most_bytes) {
  std::vector<SmallRange> whole;
  if (is_small(r, most_bytes)) whole = elements_of(f, c, r);
  const auto told_apart = [](const SmallRange& s) { return s.told_apart; };
  if (!whole.empty() && std::all_of(whole.begin(), whole.end(), told_apart)) return whole;
  const std::vector<ir::PlacedCheck> parts = parts_of(c);
  const bool all_small = std::all_of(parts.begin(), parts.end(), [](const ir::PlacedCheck& p) {
    return is_small(p.check.ranges.front());
  });
  if (parts.size() == 1 || !all_small)
    return is_small(r) ? std::move(whole) : std::vector<SmallRange>();
  std::vector<SmallRange> all;
  for (const ir::PlacedCheck& p : parts) {
    const std::vector<SmallRange> some = elements_of(f, p, p.check.ranges.front());
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<SmallRange> fields_of(const LoweredFunction& f, const ir::PlacedCheck& c,
                                  const ir::Range& r) {
  std::vector<SmallRange> all = small_ranges(f, c, r, kMaxFieldBytes);
  const std::vector<ir::PlacedCheck> parts = parts_of(c);
  if (!all.empty() || parts.size() == 1) return all;
  for (const ir::PlacedCheck& p : parts) {
    const auto some = small_ranges(f, p, p.check.ranges.front(), kMaxFieldBytes);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace bigfoot::frontend
