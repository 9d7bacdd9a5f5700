// What a placement is asked for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bigfoot::placement {

enum class Detector : std::uint8_t {
  FastTrack,  // a check at every access
  RedCard,    // redundant checks dropped, nothing moved
  BigFoot,    // checks moved, merged and dropped
};

struct Options {
  Detector detector = Detector::BigFoot;
  // Without alias facts the checks find every racy address (address-precise). With them they find
  // some race in every racy trace (trace-precise), with fewer checks.
  bool address_precise = false;
  // The papers' assumption: every loop ends. Off, a check is never held back by a loop that might
  // not (rule LOOP-NOTERM).
  bool assume_termination = false;
  // RedCard: infer requires/ensures for methods. Off, every call is taken to end the span.
  bool interprocedural = true;
  // Every check can name an access that took place: what two ways into a block did by different
  // accesses is checked on the ways, not behind them. Off, the papers' rule: H1 meet H2 looks at
  // paths alone.
  bool exact_sources = false;
  // Keep H . A at every point (for display).
  bool record_contexts = false;

  // Leave hints for GoodChecks in the plan.
  bool record_hints = false;

  // Facts of one kind kept at a point. Sets this large only arise in straight-line code longer than
  // anyone writes by hand; beyond it a check is placed (rule BUDGET), so that work stays linear.
  std::size_t max_facts = 96;
};

}  // namespace bigfoot::placement
