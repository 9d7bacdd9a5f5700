#include "frontends/llvm/lower/plan_emitter.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "frontends/llvm/lower/shares.h"
#include "frontends/llvm/lower/values.h"

namespace bigfoot::frontend {
namespace {

using ir::LinearExpr;

// Longer constant ranges go to the run time in one call.
constexpr std::int64_t kMaxSingleBytes = 64;

llvm::Align align_at(const PlainAccess& a, std::int64_t distance) {
  return llvm::commonAlignment(a.align,
                               static_cast<std::uint64_t>(distance < 0 ? -distance : distance));
}

class Emitter {
 public:
  explicit Emitter(LoweredFunction& f) : f_(f), values_(f) {}

  PlacedChecks run(const ir::Plan& plan) {
    split_edges(plan);
    for (const ir::PlacedCheck& c : plan.checks)
      for (const ir::Range& r : c.check.ranges) emit(c, r);
    return std::move(result_);
  }

 private:
  void split_edges(const ir::Plan& plan) {
    for (const ir::PlacedCheck& c : plan.checks) {
      if (!c.point.edge_to) continue;
      auto& at = edges_[{c.point.block, *c.point.edge_to}];
      if (at != nullptr) continue;
      llvm::BasicBlock* from = f_.blocks[index_of(c.point.block)];
      llvm::BasicBlock* to = f_.blocks[index_of(*c.point.edge_to)];
      at = split(*from, *to);
    }
  }

  llvm::Instruction* split(llvm::BasicBlock& from, llvm::BasicBlock& to) {
    if (from.getUniqueSuccessor() != nullptr) return from.getTerminator();
    if (to.getUniquePredecessor() != nullptr) return &*to.getFirstInsertionPt();
    llvm::Instruction* t = from.getTerminator();
    const unsigned edge = llvm::GetSuccessorNumber(&from, &to);
    // Without the loops: to keep their exits dedicated it would move other edges that leave the
    // same loop, and the plan may name those as well.
    llvm::BasicBlock* middle = llvm::SplitCriticalEdge(
        t, edge, llvm::CriticalEdgeSplittingOptions(f_.dominators).setMergeIdenticalEdges());
    llvm::Loop* around = f_.loops->getLoopFor(&from);
    while (around != nullptr && !around->contains(&to)) around = around->getParentLoop();
    if (around != nullptr) around->addBasicBlockToLoop(middle, *f_.loops);
    return middle->getTerminator();
  }

  llvm::Instruction& insertion_point(const ir::Point& p) {
    return p.edge_to ? *edges_.at({p.block, *p.edge_to}) : *f_.instruction_at(p.block, p.index);
  }

  // The accesses the check answers for; those of its own kind, if there are any, because a write's
  // check should name the write.
  std::vector<ir::AccessId> answers_for(const ir::PlacedCheck& c) const {
    std::vector<ir::AccessId> all, same;
    for (const ir::Covered& covered : c.stands_for) {
      const bool writes = f_.accesses[index_of(covered.access)].writes;
      all.push_back(covered.access);
      if (writes == (c.check.kind == ir::AccessKind::Write)) same.push_back(covered.access);
    }
    auto& chosen = same.empty() ? all : same;
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
  }

  void emit(const ir::PlacedCheck& c, const ir::Range& r) {
    llvm::Instruction& before = insertion_point(c.point);
    const std::vector<ir::AccessId> who = answers_for(c);
    const LinearExpr extent = r.end - r.begin;
    const bool few = extent.is_constant() && extent.constant() <= kMaxSingleBytes;
    if (!few) return emit_range(c, r, who, before);
    if (r.contiguous()) return emit_pieces(c, r, extent.constant(), who, before);
    for (std::int64_t at = 0; at < extent.constant(); at += r.step)
      emit_pieces(c, logic::block(r.begin + at, r.width), r.width, who, before);
  }

  const PlainAccess& access(ir::AccessId id) const { return f_.accesses[index_of(id)]; }
  bool writes(const ir::PlacedCheck& c) const { return c.check.kind == ir::AccessKind::Write; }

  // How far into the check's range an access begins, if that is a constant.
  std::optional<std::int64_t> distance(const ir::PlacedCheck& c, const ir::Range& r,
                                       ir::AccessId id) const {
    const ir::Path& path = f_.paths[index_of(id)];
    const LinearExpr d = path.range.begin - r.begin;
    if (path.base == c.check.base && d.is_constant()) return d.constant();
    return std::nullopt;
  }

  // A few bytes: one check for each access, so that each is reported as what it is.
  void emit_pieces(const ir::PlacedCheck& c, const ir::Range& r, std::int64_t length,
                   const std::vector<ir::AccessId>& who, llvm::Instruction& before) {
    struct Piece {
      std::int64_t begin, bytes;
      ir::AccessId access;
    };
    std::vector<Piece> pieces;
    for (ir::AccessId id : who) {
      if (access(id).length != nullptr) continue;
      const auto bytes = static_cast<std::int64_t>(access(id).bytes);
      const auto d = distance(c, r, id);
      // Under another name (a phi's operand) the access is recognised by its size.
      if (!d && bytes != length) continue;
      pieces.push_back({d.value_or(0), bytes, id});
    }
    std::erase_if(pieces,
                  [&](const Piece& p) { return p.begin < 0 || p.begin + p.bytes > length; });
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return std::tie(a.begin, b.bytes, a.access) < std::tie(b.begin, a.bytes, b.access);
    });
    std::int64_t done = 0;
    std::vector<Piece> chosen;
    for (const Piece& p : pieces) {
      if (p.begin + p.bytes <= done) continue;  // checked as part of a larger access
      if (p.begin > done) break;
      chosen.push_back(p);
      done = p.begin + p.bytes;
    }
    const bool told_apart = done == length;
    if (!told_apart) chosen = {{0, length, who.front()}};
    for (const Piece& p : chosen) {
      const PlainAccess& a = access(p.access);
      const llvm::Align align = p.bytes == a.bytes ? a.align : align_at(a, p.bytes);
      result_.single.push_back({&before, values_.address(c.check.base, r.begin + p.begin, before),
                                writes(c), static_cast<unsigned>(p.bytes), align,
                                position(*a.instruction), told_apart ? a.instruction : nullptr});
    }
  }

  void emit_range(const ir::PlacedCheck& c, const ir::Range& r,
                  const std::vector<ir::AccessId>& who, llvm::Instruction& before) {
    if (who.size() > 1) {
      if (const auto parts = shares(f_, c, r, who, *before.getParent()))
        return emit_shares(c, r, *parts, before);
    }
    const PlainAccess& a = access(best_fit(r, who));
    const auto size = a.length == nullptr ? static_cast<std::int64_t>(a.bytes) : 1;
    add_range(c, a, r.begin, r.end, r.contiguous() ? size : r.step, r.contiguous() ? size : r.width,
              before);
    if (who.size() > 1) result_.ranges.back().access = nullptr;
  }

  // For a range whose shares cannot be told: an access of the size of its elements, if there is
  // one.
  ir::AccessId best_fit(const ir::Range& r, const std::vector<ir::AccessId>& who) const {
    const auto fits = std::find_if(who.begin(), who.end(), [&](ir::AccessId id) {
      return r.contiguous() || access(id).bytes == r.width;
    });
    return fits == who.end() ? who.front() : *fits;
  }

  void emit_shares(const ir::PlacedCheck& c, const ir::Range& r, const std::vector<Share>& parts,
                   llvm::Instruction& before) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Share& s = parts[i];
      const bool first = i == 0 || parts[i - 1].phase != s.phase;
      const bool last = i + 1 == parts.size() || parts[i + 1].phase != s.phase;
      LinearExpr begin = r.begin + s.phase;
      // Where the share before ended, on this share's grid; dense shares have a grid of bytes.
      if (!first) begin = r.end + parts[i - 1].end + (s.step == s.width ? 0 : s.step - s.width);
      // The last one of a phase goes as far as the range: a strided range counts by where its
      // elements begin, the share's by where they begin plus its phase.
      const LinearExpr end = !last ? r.end + s.end : r.contiguous() ? r.end : r.end + s.phase;
      add_range(c, access(s.access), begin, end, s.step, s.width, before,
                first ? nullptr : &r.begin);
    }
  }

  // The size of a range's elements, as the access takes them.
  static unsigned unit_of(const PlainAccess& a, std::int64_t step, std::int64_t width) {
    if (!a.is_memory_intrinsic()) return a.bytes;
    if (step == width) return RangeCheck::kNoElements;
    constexpr std::uint64_t kWord = 8;
    const auto of = [](std::int64_t n) { return static_cast<std::uint64_t>(n & -n); };
    return static_cast<unsigned>(std::min({kWord, a.align.value(), of(step), of(width)}));
  }

  // `floor`: a short range may end before it; then the check begins there.
  void add_range(const ir::PlacedCheck& c, const PlainAccess& a, const LinearExpr& begin,
                 const LinearExpr& end, std::int64_t step, std::int64_t width,
                 llvm::Instruction& before, const LinearExpr* floor = nullptr) {
    llvm::Value* address = values_.address(c.check.base, begin, before);
    llvm::Value* extent = values_.integer(end - begin, before);
    if (floor != nullptr) {
      llvm::IRBuilder<> at(&before);
      llvm::Value* missing = values_.integer(*floor - begin, before);
      llvm::Value* skip = at.CreateBinaryIntrinsic(llvm::Intrinsic::smax, missing, at.getInt64(0));
      address = at.CreateGEP(at.getInt8Ty(), address, skip);
      extent = at.CreateSub(extent, skip);
    }
    result_.ranges.push_back({&before, address, writes(c), extent, unit_of(a, step, width),
                              static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(width),
                              position(*a.instruction), a.instruction});
  }

  LoweredFunction& f_;
  Values values_;
  PlacedChecks result_;
  std::map<std::pair<ir::BlockId, ir::BlockId>, llvm::Instruction*> edges_;
};

}  // namespace

PlacedChecks materialise(const ir::Plan& plan, LoweredFunction& f) {
  return Emitter(f).run(plan);
}

}  // namespace bigfoot::frontend
