#include "frontends/llvm/lower/plan_emitter.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "frontends/llvm/lower/pieces.h"
#include "frontends/llvm/lower/shares.h"
#include "frontends/llvm/lower/values.h"

namespace bigfoot::frontend {
namespace {

using ir::LinearExpr;

llvm::Align align_at(const PlainAccess& a, std::int64_t distance) {
  return llvm::commonAlignment(a.align,
                               static_cast<std::uint64_t>(distance < 0 ? -distance : distance));
}

class Emitter {
 public:
  Emitter(LoweredFunction& f, FieldProxies* proxies) : f_(f), proxies_(proxies), values_(f) {}

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

  void emit(const ir::PlacedCheck& c, const ir::Range& r) {
    llvm::Instruction& before = insertion_point(c.point);
    if (emit_fields(c, r, before)) return;
    const std::vector<SmallRange> small = small_ranges(f_, c, r);
    if (small.empty()) return emit_range(c, r, answers_for(c), before);
    for (const SmallRange& s : small) emit_pieces(c, s, before);
  }

  // A long range, if it is mostly groups of fields.
  bool emit_fields(const ir::PlacedCheck& c, const ir::Range& r, llvm::Instruction& before) {
    const auto length = r.constant_length();
    if (proxies_ == nullptr || !r.contiguous() || !length || *length <= kMaxSingleBytes)
      return false;
    const std::vector<SmallRange> all = small_ranges(f_, c, r, kMaxFieldBytes);
    if (all.size() != 1) return false;  // none, or in parts
    std::size_t checks = all[0].pieces.size();
    for (const FieldProxies::Group& g : proxies_->groups_of(f_, all[0])) checks -= g.count - 1;
    if (checks > kMaxFieldChecks) return false;
    emit_pieces(c, all[0], before);
    return true;
  }

  const PlainAccess& access(ir::AccessId id) const { return f_.accesses[index_of(id)]; }

  // Of a check that is for this access or another one, depending on the way that was taken.
  OtherPlaces other_places(const ir::PlacedCheck& c, ir::AccessId named) const {
    OtherPlaces others;
    for (ir::AccessId id : alternatives_to(c, named)) {
      const llvm::DebugLoc where = position(*access(id).instruction);
      if (where && !llvm::is_contained(others, where)) others.push_back(where);
    }
    return others;
  }

  bool writes(const ir::PlacedCheck& c) const { return c.check.kind == ir::AccessKind::Write; }

  llvm::Align align_of(const Piece& p) const {
    const PlainAccess& a = access(p.access);
    return p.bytes == a.bytes ? a.align : align_at(a, p.bytes);
  }

  // Those that belong together as one check, the others one by one.
  void emit_pieces(const ir::PlacedCheck& c, const SmallRange& r, llvm::Instruction& before) {
    std::vector<FieldProxies::Group> groups;
    if (proxies_ != nullptr) groups = proxies_->groups_of(f_, r);
    std::vector<bool> left_out(r.pieces.size(), false);
    if (proxies_ != nullptr) left_out = proxies_->spoken_for(f_, r);
    auto next = groups.begin();
    for (std::size_t i = 0; i < r.pieces.size();) {
      const bool grouped = next != groups.end() && next->first == i;
      // The others of a group are spoken for by its first word, if nobody else does.
      if (left_out[i]) {
        i += grouped ? next->count : 1;
        if (grouped) ++next;
        continue;
      }
      if (grouped && align_of(r.pieces[i]).value() >= 8) {
        emit_group(c, r, *next, before);
        i += next->count;
      } else {
        emit_piece(c, r, r.pieces[i++], before);
      }
      if (grouped) ++next;
    }
  }

  void emit_piece(const ir::PlacedCheck& c, const SmallRange& r, const Piece& p,
                  llvm::Instruction& before) {
    result_.single.push_back(
        {&before, values_.address(c.check.base, r.begin + p.begin, before), writes(c),
         static_cast<unsigned>(p.bytes), align_of(p), position(*access(p.access).instruction),
         r.told_apart ? access(p.access).instruction : nullptr, other_places(c, p.access)});
  }

  void emit_group(const ir::PlacedCheck& c, const SmallRange& r, const FieldProxies::Group& g,
                  llvm::Instruction& before) {
    const std::int64_t begin = r.pieces[g.first].begin;
    GroupCheck check{&before,   values_.address(c.check.base, r.begin + begin, before),
                     writes(c), g.words,
                     {},        proxies_->entry(*before.getModule(), g.index)};
    for (std::size_t i = g.first; i < g.first + g.count; ++i) {
      const Piece& p = r.pieces[i];
      const llvm::Instruction* instruction = access(p.access).instruction;
      check.pieces.push_back({static_cast<unsigned>(p.begin - begin),
                              static_cast<unsigned>(p.bytes), position(*instruction), instruction,
                              other_places(c, p.access)});
    }
    result_.groups.push_back(std::move(check));
  }

  void emit_range(const ir::PlacedCheck& c, const ir::Range& r,
                  const std::vector<ir::AccessId>& who, llvm::Instruction& before) {
    if (who.size() > 1) {
      if (const auto all = shares(f_, c, r, who, *before.getParent()))
        return emit_shares(c, r, *all, before);
      const std::vector<ir::PlacedCheck> parts = parts_of(c);
      if (parts.size() > 1) {
        for (const ir::PlacedCheck& part : parts) emit(part, part.check.ranges.front());
        return;
      }
    }
    const ir::AccessId id = best_fit(r, who);
    const PlainAccess& a = access(id);
    const auto size = a.length == nullptr ? static_cast<std::int64_t>(a.bytes) : 1;
    add_range(c, id, r.begin, r.end, r.contiguous() ? size : r.step,
              r.contiguous() ? size : r.width, before);
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
      add_range(c, s.access, begin, end, s.step, s.width, before, first ? nullptr : &r.begin);
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
  void add_range(const ir::PlacedCheck& c, ir::AccessId id, const LinearExpr& begin,
                 const LinearExpr& end, std::int64_t step, std::int64_t width,
                 llvm::Instruction& before, const LinearExpr* floor = nullptr) {
    const PlainAccess& a = access(id);
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
                              position(*a.instruction), a.instruction, other_places(c, id)});
  }

  LoweredFunction& f_;
  FieldProxies* proxies_;
  Values values_;
  PlacedChecks result_;
  std::map<std::pair<ir::BlockId, ir::BlockId>, llvm::Instruction*> edges_;
};

}  // namespace

PlacedChecks materialise(const ir::Plan& plan, LoweredFunction& f, FieldProxies* proxies) {
  return Emitter(f, proxies).run(plan);
}

}  // namespace bigfoot::frontend
