#include "analysis/solver/columns.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/logic/atom.h"

namespace bigfoot::solver {
namespace {

using logic::LinearExpr;
using logic::Range;

// A structure with more separately checked fields than this is not worth the sweeps.
constexpr std::size_t kMaxColumns = 24;

// Where cuts may lie: within one element of the target, or one period of the stride.
class Cuts {
 public:
  explicit Cuts(std::int64_t extent) : extent_(extent) {}

  // At `offset`, and again every `period` units.
  void add(std::int64_t offset, std::int64_t period) {
    for (std::int64_t at = logic::floor_mod(offset, period); at < extent_; at += period) {
      if (positions_.size() > kMaxColumns) return;
      if (at > 0) positions_.insert(at);
    }
  }
  bool usable() const { return !positions_.empty() && positions_.size() < kMaxColumns; }
  // The distances between neighbouring cuts, from 0 to the extent.
  template <class Piece>
  void for_each_piece(Piece piece) const {
    std::int64_t from = 0;
    for (const std::int64_t at : positions_) {
      piece(from, at);
      from = at;
    }
    piece(from, extent_);
  }

 private:
  std::int64_t extent_;
  std::set<std::int64_t> positions_;
};

// `period` is the target's step, or nothing if the target is one block of units.
void cut_at(const Range& source, const Range& target, std::optional<std::int64_t> period,
            Cuts& cuts) {
  std::int64_t repeats = source.step;
  std::int64_t width = source.width;
  if (source.contiguous()) {
    // One element, split off from its column.
    const auto length = source.constant_length();
    if (!period || !length || *length <= 0 || *length >= *period) return;
    repeats = *period;
    width = *length;
  } else if (period && *period % repeats != 0) {
    return;
  }
  if (const auto offset = logic::constant_remainder(source.begin - target.begin, repeats)) {
    cuts.add(*offset, repeats);
    cuts.add(*offset + width, repeats);
  }
}

std::vector<Range> cut_block(const Range& target, std::int64_t length,
                             std::span<const Range> sources) {
  Cuts cuts(length);
  for (const Range& s : sources) cut_at(s, target, std::nullopt, cuts);
  std::vector<Range> pieces;
  if (!cuts.usable()) return {target};
  cuts.for_each_piece([&](std::int64_t from, std::int64_t to) {
    pieces.push_back(logic::block(target.begin + from, to - from));
  });
  return pieces;
}

// A contiguous target of unknown length is cut as whole elements of the sources' stride.
std::vector<Range> cut_stride(const Range& target, std::int64_t step, std::int64_t extent,
                              std::span<const Range> sources) {
  Cuts cuts(extent);
  for (const Range& s : sources) cut_at(s, target, step, cuts);
  std::vector<Range> pieces;
  if (!cuts.usable()) return {target};
  cuts.for_each_piece([&](std::int64_t from, std::int64_t to) {
    // The elements of a piece begin `from` later than the target's, and so does their bound; a
    // contiguous target has no units past its own.
    const LinearExpr end = target.contiguous() ? target.end : target.end + from;
    pieces.push_back({target.begin + from, end, step, to - from});
  });
  return pieces;
}

}  // namespace

std::vector<Range> columns(const Range& target, std::span<const Range> sources) {
  if (!target.contiguous()) return cut_stride(target, target.step, target.width, sources);
  if (const auto length = target.constant_length()) return cut_block(target, *length, sources);
  const auto strided =
      std::find_if(sources.begin(), sources.end(), [](const Range& s) { return !s.contiguous(); });
  if (strided == sources.end()) return {target};
  return cut_stride(target, strided->step, strided->step, sources);
}

}  // namespace bigfoot::solver
