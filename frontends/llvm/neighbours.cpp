#include "frontends/llvm/neighbours.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/MathExtras.h>

namespace bigfoot::frontend {
namespace {

// What an inlined test looks at in a few instructions, and no more than a cursor can be at.
constexpr unsigned kMostBytes = 64;
constexpr unsigned kMostCells = 8;
// An access is compared with so many that it might go on from: enough for eight copies of a loop
// with a few, and no burden in long blocks without any.
constexpr std::size_t kMostOpen = 16;

// Copies of one instruction may be told apart in debug locations (for those who step through them),
// but not in a report.
bool told_alike(const llvm::DILocation* a, const llvm::DILocation* b) {
  if (a == nullptr || b == nullptr) return false;
  return a->getLine() == b->getLine() && a->getColumn() == b->getColumn() &&
         a->getScope()->getNonLexicalBlockFileScope() ==
             b->getScope()->getNonLexicalBlockFileScope() &&
         a->getDiscriminator() == b->getDiscriminator() && a->getInlinedAt() == b->getInlinedAt();
}

class Joiner {
 public:
  Joiner(const Accesses& found, Fields& fields, llvm::ScalarEvolution& evolution)
      : fields_(fields), evolution_(evolution) {
    for (const PlainAccess& a : found.plain)
      if (!a.vtable_pointer) accesses_[a.instruction] = &a;
  }

  void visit(llvm::BasicBlock& block) {
    forget();
    for (llvm::Instruction& i : block) {
      const bool transparent = is_transparent(i);
      if (!transparent) forget();
      if (auto access = accesses_.find(&i); access != accesses_.end())
        add(*access->second, transparent);
    }
  }

  std::vector<SingleCheck> checks() {
    std::vector<SingleCheck> checks;
    for (const Group& g : groups_) {
      const PlainAccess& first = *g.members.front();
      checks.push_back({first.instruction,
                        first.address,
                        first.writes,
                        g.bytes(),
                        first.align,
                        position(*first.instruction),
                        first.instruction,
                        {},
                        overwritten_by(g),
                        g.members.size() > 1 ? first.bytes : 0});
    }
    return checks;
  }

 private:
  struct Group {
    llvm::SmallVector<const PlainAccess*, 4> members;  // side by side
    std::size_t since;                                 // where in seen_ the first one is

    unsigned bytes() const {
      return static_cast<unsigned>(members.size()) * members.front()->bytes;
    }
  };

  void forget() {
    open_.clear();
    seen_.clear();
  }

  void add(const PlainAccess& a, bool transparent) {
    const auto found =
        llvm::find_if(open_, [&](std::size_t g) { return continues(groups_[g], a); });
    const std::size_t group = found == open_.end() ? groups_.size() : *found;
    if (found == open_.end()) {
      groups_.push_back({{}, seen_.size()});
      if (transparent && may_be_joined(a)) {
        if (open_.size() == kMostOpen) open_.erase(open_.begin());
        open_.push_back(group);
      }
    }
    place_[a.instruction] = {group, groups_[group].members.size()};
    groups_[group].members.push_back(&a);
    seen_.push_back(&a);
  }

  // The planes tell of such accesses by whole cells, and all of them have one phase.
  static unsigned cell(const PlainAccess& a) { return a.bytes < 8 ? a.bytes : 8; }
  static bool may_be_joined(const PlainAccess& a) {
    return a.bytes < kMostBytes && llvm::isPowerOf2_32(a.bytes) && a.align.value() >= cell(a);
  }

  bool continues(const Group& g, const PlainAccess& a) {
    const PlainAccess& first = *g.members.front();
    if (a.writes != first.writes || a.bytes != first.bytes || a.align.value() < cell(a))
      return false;
    const unsigned bytes = g.bytes() + a.bytes;
    if (bytes > kMostBytes || bytes / cell(a) > kMostCells) return false;
    if (distance(first, a) != g.bytes() || crosses(g, a)) return false;
    return told_alike(told(first).get(), told(a).get());
  }

  llvm::DebugLoc told(const PlainAccess& a) {
    return fields_.at(position(*a.instruction), a.instruction);
  }

  std::optional<std::int64_t> distance(const PlainAccess& from, const PlainAccess& to) {
    const llvm::SCEV* a = evolution_.getSCEV(from.address);
    const llvm::SCEV* b = evolution_.getSCEV(to.address);
    const std::optional<llvm::APInt> d = evolution_.computeConstantDifference(b, a);
    return d ? d->trySExtValue() : std::nullopt;
  }

  // Checked with the group, the access would come before another one to the same bytes, of which a
  // report says something else, and be what is reported of them.
  bool crosses(const Group& g, const PlainAccess& a) {
    return llvm::any_of(llvm::drop_begin(seen_, g.since), [&](const PlainAccess* other) {
      const auto d = distance(*other, a);
      return d && *d < std::int64_t{other->bytes} && -*d < std::int64_t{a.bytes};
    });
  }

  // The first of the stores that overwrite all of it, one for each access of it and joined as well.
  llvm::Instruction* overwritten_by(const Group& g) const {
    llvm::Instruction* const store = g.members.front()->overwritten_by;
    if (store == nullptr) return nullptr;
    if (g.members.size() == 1) return store;
    const auto first = place_.find(store);
    if (first == place_.end() || first->second.second != 0) return nullptr;
    if (groups_[first->second.first].members.size() != g.members.size()) return nullptr;
    for (std::size_t i = 1; i < g.members.size(); ++i) {
      const auto at = place_.find(g.members[i]->overwritten_by);
      if (at == place_.end() || at->second != std::pair(first->second.first, i)) return nullptr;
    }
    return store;
  }

  Fields& fields_;
  llvm::ScalarEvolution& evolution_;
  llvm::DenseMap<const llvm::Instruction*, const PlainAccess*> accesses_;
  std::vector<Group> groups_;
  // Group, number in the group.
  llvm::DenseMap<const llvm::Instruction*, std::pair<std::size_t, std::size_t>> place_;
  // Of this block, since something that must stay where it is: the groups that may still grow, and
  // all accesses.
  llvm::SmallVector<std::size_t, 8> open_;
  llvm::SmallVector<const PlainAccess*, 16> seen_;
};

}  // namespace

std::vector<SingleCheck> checks_of_neighbours(llvm::Function& f, const Accesses& found,
                                              Fields& fields, llvm::ScalarEvolution& evolution) {
  Joiner joiner(found, fields, evolution);
  for (llvm::BasicBlock& block : f) joiner.visit(block);
  return joiner.checks();
}

}  // namespace bigfoot::frontend
