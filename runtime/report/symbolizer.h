// From a place in a file to the names in its source.
#pragma once

#include "runtime/base/text.h"
#include "runtime/report/module_map.h"

namespace bigfoot::rt::report {

// One function at one place of the source. Empty texts and zeros are "unknown".
struct SourceFrame {
  Text function;
  Text file;
  u32 line = 0;
  u32 column = 0;
  u32 discriminator = 0;  // of the innermost one: the number of the member accessed (abi/fields.h)
};

// The functions at one machine address, innermost first: all but the last are inlined.
inline constexpr u32 kMaxInlined = 128;
struct FrameList {
  SourceFrame frames[kMaxInlined];
  u32 count = 0;

  // Beyond the limit the outermost one replaces its predecessor: it is the real function.
  void add(const SourceFrame& f) { frames[count < kMaxInlined ? count++ : kMaxInlined - 1] = f; }
};

// A variable with a fixed address. `start` counts like the offsets of its module.
struct DataSymbol {
  Text name;
  u64 start = 0;
  u64 size = 0;
};

// Texts in an answer are valid until the next question.
class Symbolizer {
 public:
  // False if nothing is known; `out` is then unchanged.
  virtual bool code(const Module& module, u64 offset, FrameList& out) = 0;
  virtual bool data(const Module& module, u64 offset, DataSymbol& out) = 0;
  // Ends whatever is running; a later question starts it again.
  virtual void stop() {}
  // In the child of a fork: what runs belongs to the parent.
  virtual void after_fork_child() {}

 protected:
  ~Symbolizer() = default;
};

}  // namespace bigfoot::rt::report
