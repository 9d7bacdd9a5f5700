#include "frontends/llvm/span_groups.h"

#include <algorithm>
#include <set>
#include <utility>

namespace bigfoot::frontend {
namespace {

// The field that a check is about, and where the object begins that it is in.
struct CheckedField {
  ir::BlockId block;
  std::size_t span;  // of the block
  ir::AccessKind kind;
  ir::SymbolId base;
  std::string type;
  ir::LinearExpr object;
  bool operator==(const CheckedField&) const = default;
};

ir::AccessId access_of(const ir::PlacedCheck& c) {
  return c.stands_for.front().access;
}
const ir::Range& range_of(const ir::PlacedCheck& c) {
  return c.check.ranges.front();
}

bool ends_span(const ir::Instruction& i) {
  return std::holds_alternative<ir::Acquire>(i) || std::holds_alternative<ir::Release>(i) ||
         std::holds_alternative<ir::Call>(i);
}

// For each block the number of spans that have ended before each of its instructions.
std::vector<std::vector<std::size_t>> spans_of(const ir::Function& f) {
  std::vector<std::vector<std::size_t>> all;
  for (const ir::Block& b : f.blocks) {
    std::vector<std::size_t> ended{0};
    for (const ir::Instruction& i : b.instructions) ended.push_back(ended.back() + ends_span(i));
    all.push_back(std::move(ended));
  }
  return all;
}

}  // namespace

SpanGroups::SpanGroups(const ir::Function& abstract, const LoweredFunction& f, const ir::Plan& plan,
                       const FieldProxies& proxies)
    : f_(f), plan_(plan) {
  const auto spans = spans_of(abstract);
  std::vector<std::pair<CheckedField, std::vector<std::size_t>>> objects;
  std::size_t first_here = 0;  // objects of earlier blocks are done
  for (std::size_t i = 0; i < plan.checks.size(); ++i) {
    const ir::PlacedCheck& c = plan.checks[i];
    if (i > 0 && plan.checks[i - 1].point.block != c.point.block) first_here = objects.size();
    const bool single = !c.point.edge_to && c.stands_for.size() == 1 && c.check.ranges.size() == 1;
    if (!single || !range_of(c).constant_length()) continue;
    const std::optional<Field>& field = proxies.field_of(f, access_of(c));
    if (!field) continue;
    CheckedField key{c.point.block, spans[index_of(c.point.block)][c.point.index],
                     c.check.kind,  c.check.base,
                     field->type,   range_of(c).begin - field->offset};
    const auto it = std::find_if(objects.begin() + static_cast<std::ptrdiff_t>(first_here),
                                 objects.end(), [&](const auto& o) { return o.first == key; });
    if (it == objects.end())
      objects.push_back({std::move(key), {i}});
    else
      it->second.push_back(i);
  }
  for (auto& [field, checks] : objects) objects_.push_back(runs_of(std::move(checks)));
}

std::vector<SpanGroups::Run> SpanGroups::runs_of(std::vector<std::size_t> object) const {
  const auto begin = [&](std::size_t check) {
    return range_of(plan_.checks[check]).begin.constant();
  };
  const auto end = [&](std::size_t check) { return range_of(plan_.checks[check]).end.constant(); };
  std::sort(object.begin(), object.end(),
            [&](std::size_t a, std::size_t b) { return begin(a) < begin(b); });
  std::vector<Run> runs;
  Run run;
  for (std::size_t check : object) {
    const bool fits = !run.empty() && begin(check) == end(run.back()) &&
                      end(check) - begin(run.front()) <= kMaxFieldBytes;
    if (!fits && !run.empty()) runs.push_back(std::exchange(run, {}));
    run.push_back(check);
  }
  runs.push_back(std::move(run));
  return runs;
}

ir::PlacedCheck SpanGroups::joined(const Run& run) const {
  ir::PlacedCheck all = plan_.checks[run.front()];
  for (std::size_t check : run) {
    const ir::PlacedCheck& c = plan_.checks[check];
    all.point = std::min(all.point, c.point);
    if (check != run.front()) all.stands_for.push_back(c.stands_for.front());
  }
  all.check.ranges = {
      {range_of(plan_.checks[run.front()]).begin, range_of(plan_.checks[run.back()]).end}};
  return all;
}

void SpanGroups::note(FieldProxies& proxies) const {
  for (const std::vector<Run>& object : objects_) {
    std::vector<SmallRange> ranges;
    for (const Run& run : object) {
      const ir::PlacedCheck c = joined(run);
      for (SmallRange& s : small_ranges(f_, c, range_of(c), kMaxFieldBytes))
        ranges.push_back(std::move(s));
    }
    proxies.note(f_, ranges);
  }
}

std::vector<ir::PlacedCheck> SpanGroups::join(const FieldProxies& proxies) const {
  std::vector<ir::PlacedCheck> result;
  std::set<std::size_t> gone;
  const auto join_run = [&](const Run& run) {
    const ir::PlacedCheck c = joined(run);
    for (const SmallRange& s : small_ranges(f_, c, range_of(c), kMaxFieldBytes)) {
      if (s.pieces.size() != run.size()) continue;
      for (const FieldProxies::Group& g : proxies.groups_of(f_, s)) {
        if (g.count < 2) continue;
        const auto first = run.begin() + static_cast<std::ptrdiff_t>(g.first);
        const Run group(first, first + static_cast<std::ptrdiff_t>(g.count));
        result.push_back(joined(group));
        gone.insert(group.begin(), group.end());
      }
    }
  };
  for (const std::vector<Run>& object : objects_)
    for (const Run& run : object) join_run(run);
  for (std::size_t i = 0; i < plan_.checks.size(); ++i)
    if (!gone.contains(i)) result.push_back(plan_.checks[i]);
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.point < b.point; });
  return result;
}

}  // namespace bigfoot::frontend
