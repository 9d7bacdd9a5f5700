// A program that does not exist: threads, stacks, blocks and locks as a test wants them, with code
// addresses that lie in the test's own executable and names that the test makes up.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/options/options.h"
#include "runtime/report/reporter.h"

namespace bigfoot::rt::report::testing {

std::string to_string(Text text);
// The executable's load bias, by the loader's own account (the product reads /proc/self/maps).
uptr executable_bias();
std::string executable_name();

struct Named {
  std::string function;
  std::string file;
  u32 line = 0;
  u32 column = 0;
  u32 discriminator = 0;
};

class FakeSymbolizer final : public Symbolizer {
 public:
  bool code(const Module& module, u64 offset, FrameList& out) override;
  bool data(const Module& module, u64 offset, DataSymbol& out) override;
  void after_fork_child() override { ++forks; }

  struct Variable {
    std::string name;
    ByteRange bytes;
  };
  std::map<uptr, std::vector<Named>> places;  // by address of the call, innermost function first
  std::vector<Variable> variables;
  std::function<void()> while_working;  // called once, at the next question about code
  int questions = 0;
  int forks = 0;
};

class FakeFacts final : public Facts {
 public:
  void stack(Origin origin, Stack& out) const override;
  ThreadFacts thread(ThreadId id) const override;
  ObjectFacts object(uptr address) const override;
  usize locks(LocksetId held, HeldLock* out) const override;
  Origin lock_created(uptr address) const override;
  uptr previous_begin(const Race& race) const override { return race.previous.address; }
  u32 steps(ThreadId id, SyncStep* out, u64& lost) const override;

  struct Known {
    std::vector<Pc> pcs;
    bool truncated = false;
    std::vector<HeldLock> locks;
  };
  std::map<u32, Known> origins;
  std::map<u32, ThreadFacts> threads;
  std::vector<ObjectFacts> objects;
  std::map<uptr, Origin> mutexes;
  std::map<u32, std::vector<SyncStep>> histories;  // by thread
};

class Program {
 public:
  Program();
  ~Program();

  // Code at a fresh address with this name; further names are the functions it is inlined into.
  Pc code(Named name);
  Pc code(std::vector<Named> names);
  Pc nameless_code();
  // A stack of such code, innermost first.
  Origin at(std::vector<Pc> pcs, std::vector<HeldLock> locks = {});
  ThreadId thread(u32 number, std::string name = "", ThreadId creator = kMainThread,
                  Origin created = kNoOrigin, ThreadState state = ThreadState::kRunning);
  uptr variable(const std::string& name, usize size);
  uptr block(uptr address, usize size, Origin allocated, ThreadId by = kMainThread,
             bool freed = false);

  // "(unit_report+0x1234)"
  std::string in_module(Pc pc) const;

  // Made on first use, with `options` as they are then.
  Reporter& reporter();
  std::string log();  // what was written to log_path
  std::vector<std::string> json_lines();
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write_file(const std::string& name, const std::string& content, int mode = 0644);

  Options options;
  FakeFacts facts;
  FakeSymbolizer symbolizer;

 private:
  std::string folder_;
  std::string log_path_, json_path_;
  std::unique_ptr<Reporter> reporter_;
  usize used_code_ = 0;
  usize used_data_ = 0;
  u32 origins_ = 0;
};

std::string read_whole(const std::string& path);

Access access(AccessKind kind, uptr address, u64 size, ThreadId thread, Origin origin);
// Two accesses of the same bytes.
Race race(Access current, Access previous);

}  // namespace bigfoot::rt::report::testing
