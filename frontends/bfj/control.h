// The part of compiled code that only moves control, for everything that executes it: the machine
// that explores schedules and the managed run time differ in their values and heaps, not in what a
// jump, a call or an exception is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/bfj/code.h"

namespace bigfoot::bfj {

template <class Value>
struct Frame {
  const Code* code = nullptr;
  std::uint32_t pc = 0;
  std::int32_t result_slot = -1;  // of the caller
  std::vector<Value> slots;
  std::vector<std::uint32_t> handlers;

  Value& slot(std::int32_t i) { return slots[static_cast<std::size_t>(i)]; }
};
template <class Value>
using Frames = std::vector<Frame<Value>>;

// A frame to run `call`'s callee in, or nothing if an argument has no value. `value_of(Expr)` is
// evaluated where the call stands.
template <class Value, class ValueOf>
std::optional<Frame<Value>> frame_for(const Code& callee, const Code::Instruction& call,
                                      const Value& receiver, ValueOf value_of) {
  Frame<Value> f;
  f.code = &callee;
  f.slots.resize(callee.slots.size());
  f.slots[0] = receiver;
  for (std::size_t k = 0; k < call.arguments->size(); ++k) {
    const std::optional<Value> v = value_of(*(*call.arguments)[k]);
    if (!v) return std::nullopt;
    f.slots[k + 1] = *v;
  }
  return f;
}

// Goes to the innermost handler. False: there is none, and no frame is left.
template <class Value>
bool unwind(Frames<Value>& frames) {
  while (!frames.empty()) {
    Frame<Value>& f = frames.back();
    if (!f.handlers.empty()) {
      f.pc = f.handlers.back();
      f.handlers.pop_back();
      return true;
    }
    frames.pop_back();
  }
  return false;
}

template <class Value>
void leave(Frames<Value>& frames) {
  Frame<Value>& f = frames.back();
  const Value result = f.code->result >= 0 ? f.slot(f.code->result) : Value();
  const std::int32_t target = f.result_slot;
  frames.pop_back();
  if (!frames.empty() && target >= 0) frames.back().slot(target) = result;
}

enum class Control : std::uint8_t {
  None,      // the instruction does more than move control; nothing was done
  Moved,     // to the next instruction
  Ended,     // no frame is left
  Uncaught,  // no frame is left, because nobody handled an exception
  Faulted,   // a condition without a value
};

// `truth_of(Expr)` evaluates a condition, to nothing if that is an error.
template <class Value, class TruthOf>
Control control_step(Frames<Value>& frames, const Code::Instruction& i, TruthOf truth_of) {
  Frame<Value>& f = frames.back();
  switch (i.op) {
    case Code::Op::Jump:
      f.pc = i.target;
      return Control::Moved;
    case Code::Op::JumpIfFalse: {
      const std::optional<bool> truth = truth_of(*i.value);
      if (!truth) return Control::Faulted;
      f.pc = *truth ? f.pc + 1 : i.target;
      return Control::Moved;
    }
    case Code::Op::PushHandler:
      f.handlers.push_back(i.target);
      ++f.pc;
      return Control::Moved;
    case Code::Op::PopHandler:
      f.handlers.pop_back();
      ++f.pc;
      return Control::Moved;
    case Code::Op::Throw:
      return unwind(frames) ? Control::Moved : Control::Uncaught;
    case Code::Op::Halt:
      frames.clear();
      return Control::Ended;
    case Code::Op::Return:
      leave(frames);
      return frames.empty() ? Control::Ended : Control::Moved;
    default:
      return Control::None;
  }
}

}  // namespace bigfoot::bfj
