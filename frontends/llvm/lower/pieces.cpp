#include "frontends/llvm/lower/pieces.h"

#include <algorithm>
#include <optional>
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

std::vector<ir::AccessId> answers_for(const LoweredFunction& f, const ir::PlacedCheck& c) {
  std::vector<ir::AccessId> all, same;
  for (const ir::Covered& covered : c.stands_for) {
    const bool writes = f.accesses[index_of(covered.access)].writes;
    all.push_back(covered.access);
    if (writes == (c.check.kind == ir::AccessKind::Write)) same.push_back(covered.access);
  }
  auto& chosen = same.empty() ? all : same;
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

std::vector<SmallRange> small_ranges(const LoweredFunction& f, const ir::PlacedCheck& c,
                                     const ir::Range& r, std::int64_t most_bytes) {
  const LinearExpr extent = r.end - r.begin;
  if (!extent.is_constant()) return {};
  const std::int64_t bytes = extent.constant();
  if (bytes > (r.contiguous() ? most_bytes : kMaxSingleBytes)) return {};
  const std::vector<ir::AccessId> who = answers_for(f, c);
  if (r.contiguous()) {
    SmallRange all = range_of(f, c, r.begin, bytes, who);
    if (bytes > kMaxSingleBytes && !all.told_apart) return {};
    return {std::move(all)};
  }
  std::vector<SmallRange> all;
  for (std::int64_t at = 0; at < bytes; at += r.step)
    all.push_back(range_of(f, c, r.begin + at, r.width, who));
  return all;
}

}  // namespace bigfoot::frontend
