// Values and expressions of BFJ. Evaluation has no effects; it fails on what the papers leave
// undefined: arithmetic on references, overflow, division by zero, the length of what is no array.
#pragma once

#include <cstdint>
#include <optional>

#include "frontends/bfj/ast.h"

namespace bigfoot::bfj {

struct Value {
  enum class Kind : std::uint8_t { Int, Object, Thread } kind = Kind::Int;  // null is the integer 0
  std::int64_t number = 0;
  bool operator==(const Value&) const = default;
};

inline bool truth(const Value& v) {
  return v.kind != Value::Kind::Int || v.number != 0;
}

// Where an expression finds what it mentions.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual Value variable(const std::string& name) const = 0;
  virtual std::optional<std::int64_t> length_of(const Value& array) const = 0;
};

// `choice` is the value of `?`.
std::optional<Value> evaluate(const Expr& e, const Environment& environment, bool choice);

}  // namespace bigfoot::bfj
