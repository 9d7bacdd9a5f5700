#include "tests/placement/shrink.h"

#include <vector>

#include "frontends/bfj/parser.h"
#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {
namespace {

std::vector<Block*> all_blocks(Program& p) {
  std::vector<Block*> blocks;
  const std::function<void(Block&)> visit = [&](Block& b) {
    blocks.push_back(&b);
    for (StmtPtr& s : b.stmts) {
      std::visit(Overloaded{
                     [&](If& n) {
                       visit(*n.then_block);
                       visit(*n.else_block);
                     },
                     [&](Loop& n) { visit(*n.body); },
                     [&](While& n) { visit(*n.body); },
                     [&](For& n) { visit(*n.body); },
                     [&](Try& n) {
                       visit(*n.body);
                       visit(*n.handler);
                     },
                     [](auto&) {},
                 },
                 s->node);
    }
  };
  for (Class& c : p.classes) {
    for (Method& m : c.methods) visit(*m.body);
  }
  for (Thread& t : p.threads) visit(*t.body);
  return blocks;
}

// Replaces a statement by what is inside it.
bool unwrap(Block& b, std::size_t i) {
  Stmt& s = *b.stmts[i];
  std::vector<StmtPtr> inside;
  const auto take = [&](Block& from) {
    for (StmtPtr& x : from.stmts) inside.push_back(std::move(x));
  };
  const bool nested = std::visit(Overloaded{
                                     [&](If& n) {
                                       take(*n.then_block);
                                       take(*n.else_block);
                                       return true;
                                     },
                                     [&](Try& n) {
                                       take(*n.body);
                                       return true;
                                     },
                                     [&](Loop& n) {
                                       take(*n.body);
                                       return true;
                                     },
                                     [](auto&) { return false; },
                                 },
                                 s.node);
  if (!nested) return false;
  b.stmts.erase(b.stmts.begin() + static_cast<std::ptrdiff_t>(i));
  b.stmts.insert(b.stmts.begin() + static_cast<std::ptrdiff_t>(i),
                 std::make_move_iterator(inside.begin()), std::make_move_iterator(inside.end()));
  return true;
}

}  // namespace

Program shrink(const Program& program, const std::function<bool(const Program&)>& still_fails) {
  Program best = clone(program);
  const auto accept = [&](Program& candidate) {
    if (!parse(print(candidate)).ok() || !still_fails(candidate)) return false;
    best = std::move(candidate);
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t t = 0; t < best.threads.size() && best.threads.size() > 1; ++t) {
      Program candidate = clone(best);
      candidate.threads.erase(candidate.threads.begin() + static_cast<std::ptrdiff_t>(t));
      if (accept(candidate)) changed = true;
    }
    for (std::size_t b = 0; b < all_blocks(best).size(); ++b) {
      for (std::size_t i = 0; i < all_blocks(best)[b]->stmts.size();) {
        Program removed = clone(best);
        auto& stmts = all_blocks(removed)[b]->stmts;
        stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(i));
        if (accept(removed)) {
          changed = true;
          if (b >= all_blocks(best).size()) break;
          continue;
        }
        Program unwrapped = clone(best);
        if (unwrap(*all_blocks(unwrapped)[b], i) && accept(unwrapped)) {
          changed = true;
          continue;
        }
        ++i;
      }
    }
    for (std::size_t m = 0; !best.classes.empty() && m < best.classes[0].methods.size(); ++m) {
      Program candidate = clone(best);
      auto& methods = candidate.classes[0].methods;
      methods.erase(methods.begin() + static_cast<std::ptrdiff_t>(m));
      if (accept(candidate)) changed = true;
    }
  }
  return best;
}

}  // namespace bigfoot::bfj
