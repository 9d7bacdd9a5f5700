#include "frontends/bfj/lower.h"

#include <gtest/gtest.h>

#include "analysis/ir/cfg.h"
#include "analysis/ir/verifier.h"
#include "frontends/bfj/parser.h"

namespace bigfoot::bfj {
namespace {

Lowered lower_text(std::string_view text) {
  const ParseResult r = parse(text);
  EXPECT_TRUE(r.ok()) << format(r.errors, "input");
  Lowered l = lower(r.program);
  for (const ir::Function& f : l.program.functions) {
    for (const std::string& problem : ir::verify(f)) ADD_FAILURE() << problem;
  }
  return l;
}

const ir::Function& thread_function(const Lowered& l) {
  return l.program.function(l.program.thread_entries.at(0));
}

std::vector<ir::Access> accesses(const ir::Function& f) {
  std::vector<ir::Access> found;
  for (const ir::Block& b : f.blocks) {
    for (const ir::Instruction& i : b.instructions) {
      if (const auto* a = std::get_if<ir::Access>(&i)) found.push_back(*a);
    }
  }
  return found;
}

TEST(Lower, CopiesAndLinearDefinitionsDisappearIntoTheirRoots) {
  const Lowered l = lower_text("thread { i = n.f; j = i + 1; k = j; x = a[k * 2 - i]; }");
  const auto found = accesses(thread_function(l));
  ASSERT_EQ(found.size(), 2u);
  const ir::SymbolId i = *found[0].result;
  // (i + 1) * 2 - i
  EXPECT_EQ(found[1].path.range.begin, ir::LinearExpr(i) + 2);
}

TEST(Lower, LoopVariablesBecomeInductionVariables) {
  const Lowered l = lower_text("thread { for (i = 2; i < n.length; i = i + 3) { x = a[i]; } }");
  const ir::Cfg cfg(thread_function(l));
  ASSERT_EQ(cfg.loops().size(), 1u);
  const ir::Loop& loop = cfg.loops()[0];
  EXPECT_TRUE(loop.terminates);
  ASSERT_EQ(loop.inductions.size(), 1u);
  EXPECT_EQ(loop.inductions[0].initial, ir::LinearExpr(2));
  EXPECT_EQ(loop.inductions[0].step, ir::LinearExpr(3));
}

TEST(Lower, LoopsThatNeedNotEndAreNotCalledTerminating) {
  for (const char* text :
       {"thread { loop { x = a.f; } }", "thread { loop { x = a.f; if (?) break; } }",
        "thread { i = 0; while (i < 10) { i = i - 1; } }",
        "thread { i = 0; while (i < 10) { i = a.f; } }",
        "thread { i = 0; loop { i = i + 1; if (?) { if (i > 5) break; } } }"}) {
    const Lowered l = lower_text(text);
    const ir::Cfg cfg(thread_function(l));
    ASSERT_EQ(cfg.loops().size(), 1u) << text;
    EXPECT_FALSE(cfg.loops()[0].terminates) << text;
  }
}

TEST(Lower, VolatilesForkJoinAndWaitBecomeSynchronisation) {
  const Lowered l = lower_text(
      "class C { volatile v; run() { skip; } }\n"
      "thread { x = c.v; c.v = 1; h = fork c.run(); join(h); acq(c); wait(c); rel(c); }");
  int acquires = 0, releases = 0, forks = 0;
  for (const ir::Block& b : thread_function(l).blocks) {
    for (const ir::Instruction& i : b.instructions) {
      acquires += std::holds_alternative<ir::Acquire>(i);
      releases += std::holds_alternative<ir::Release>(i);
      if (const auto* call = std::get_if<ir::Call>(&i)) forks += call->forks;
    }
  }
  EXPECT_EQ(acquires, 4);  // volatile read, join, acq, wait
  EXPECT_EQ(releases, 3);  // volatile write, wait, rel
  EXPECT_EQ(forks, 1);
  EXPECT_TRUE(accesses(thread_function(l)).empty());
}

TEST(Lower, CallsThatMayThrowGetAnUnwindingEdge) {
  const Lowered l = lower_text(
      "class C { f; bad() { throw; } quiet() { try { this.bad(); } catch { skip; } } }\n"
      "thread { c.quiet(); try { c.bad(); x = 1; } catch { x = 2; } y = a[x]; }");
  const ir::Function& f = thread_function(l);
  int choices = 0;
  for (const ir::Block& b : f.blocks) choices += std::holds_alternative<ir::Choice>(b.terminator);
  EXPECT_EQ(choices, 1);
  // x merges 1 and 2 after the try.
  const auto found = accesses(f);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(f.symbol(found[0].path.range.begin.symbol()).is_phi);
}

TEST(Lower, UnreachableCodeAndLoopsWithoutExitAreHandled) {
  lower_text("thread { loop { x = a.f; } y = a.g; }");
  lower_text("thread { loop { break; x = a.f; } y = a.g; }");
  lower_text("thread { if (?) { halt; } else { throw; } y = a.g; }");
  lower_text("thread { try { skip; } catch { x = a.f; } y = a.g; }");
  lower_text("thread { }");
}

}  // namespace
}  // namespace bigfoot::bfj
