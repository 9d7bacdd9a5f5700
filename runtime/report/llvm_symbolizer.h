// Names by llvm-symbolizer, run as a child process.
//
// A child rather than a library: reading debug information needs a heap, threads and megabytes of
// code, all of which would live in the program under test. Questions go one line at a time
// (`CODE "/path/of/module" 0x1234`), answers come as one JSON object per line. A child that dies or
// stops answering is replaced a few times; then the reports go on without names.
#pragma once

#include "runtime/options/options.h"
#include "runtime/report/symbolizer.h"

namespace bigfoot::rt::report {

class LlvmSymbolizer final : public Symbolizer {
 public:
  // What is fixed when the run time is built; the tests bring their own.
  struct Setting {
    // The first question about a large program makes the child read gigabytes of debug information.
    u32 patience_ms = 120 * 1000;  // how long a child may be silent before it is given up
    const char* built_in;          // where it is if nobody says otherwise
    Setting();
  };

  explicit LlvmSymbolizer(const Options& options, const Setting& setting = {})
      : options_(options), setting_(setting) {}

  bool code(const Module& module, u64 offset, FrameList& out) override;
  bool data(const Module& module, u64 offset, DataSymbol& out) override;
  void stop() override;
  void after_fork_child() override;

  // The program that will be run, or null: option, environment, built-in place, PATH, in this
  // order. Valid until the next call.
  const char* find_program();

 private:
  bool ask(Text what, const Module& module, u64 offset);
  bool start();
  bool answer();
  void give_up(Text why);

  const Options& options_;
  const Setting setting_;
  sys::Child child_;
  bool running_ = false;
  bool given_up_ = false;
  u32 starts_ = 0;
  TextBuffer path_;
  TextBuffer question_;
  TextBuffer reply_;
};

}  // namespace bigfoot::rt::report
