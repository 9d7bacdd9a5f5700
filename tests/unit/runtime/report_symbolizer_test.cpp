// The symbolizer as a child process: the real one on this very program, and bad ones that die, hang
// or talk nonsense. Also that the program under test cannot notice the child.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

#include "report_fixture.h"
#include "runtime/report/llvm_symbolizer.h"

namespace bigfoot::rt::report::testing {

// Symbols to be found. Their lines are taken where they stand.
int global_for_symbolizer[12];
u32 outer_line, inner_line;

__attribute__((noinline)) Pc return_address() {
  return reinterpret_cast<Pc>(__builtin_return_address(0));
}
__attribute__((always_inline)) inline Pc inlined_function() {
  inner_line = __LINE__ + 1;
  Pc pc = return_address();
  asm volatile("" : "+r"(pc));  // no tail call
  return pc;
}
__attribute__((noinline)) Pc outer_function(int) {
  outer_line = __LINE__ + 1;
  Pc pc = inlined_function();
  asm volatile("" : "+r"(pc));
  return pc;
}

namespace {

class SymbolizerTest : public ::testing::Test {
 protected:
  // A program with this text as the shell's input.
  const char* script(const std::string& body) {
    script_ = p.write_file("symbolizer", "#!/bin/sh\n" + body, 0755);
    p.options.external_symbolizer_path = script_.c_str();
    return script_.c_str();
  }
  Module module_named(const std::string& path) {
    Module m;
    m.path = keeper.copy(Text(path.data(), path.size()));
    return m;
  }

  Program p;
  Keeper keeper;
  FrameList frames;
  DataSymbol data;

 private:
  std::string script_;
};

constexpr const char* kAnswer =
    R"({"Address":"0x1","ModuleName":"m","Symbol":[{"Column":3,"FileName":"/a.c","FunctionName":"f","Line":2}]})";

TEST_F(SymbolizerTest, TheRealOneNamesInlinedFunctionsAndLines) {
  const Pc pc = outer_function(1);
  LlvmSymbolizer real(p.options);
  ASSERT_NE(real.find_program(), nullptr) << "llvm-symbolizer is not installed";
  SymbolCache symbols(keeper, real);
  const ResolvedPc* found = symbols.code(pc);
  ASSERT_EQ(found->frame_count, 2u);
  EXPECT_EQ(to_string(found->frames[0].function),
            "bigfoot::rt::report::testing::inlined_function()");
  EXPECT_EQ(to_string(found->frames[1].function),
            "bigfoot::rt::report::testing::outer_function(int)");
  EXPECT_EQ(to_string(found->frames[0].file.basename()), "report_symbolizer_test.cpp");
  EXPECT_EQ(found->frames[0].line, inner_line);
  EXPECT_EQ(found->frames[1].line, outer_line);
  EXPECT_GT(found->frames[0].column, 0u);
  EXPECT_EQ(symbols.code(pc), found) << "asked once";
  real.stop();
}

TEST_F(SymbolizerTest, TheRealOneNamesVariables) {
  LlvmSymbolizer real(p.options);
  SymbolCache symbols(keeper, real);
  symbols.modules().refresh();
  const ResolvedGlobal* g = symbols.global(reinterpret_cast<uptr>(&global_for_symbolizer[5]));
  ASSERT_NE(g, nullptr);
  EXPECT_EQ(to_string(g->name), "bigfoot::rt::report::testing::global_for_symbolizer");
  EXPECT_EQ(g->bytes.begin, reinterpret_cast<uptr>(global_for_symbolizer));
  EXPECT_EQ(g->bytes.size, sizeof global_for_symbolizer);
  real.stop();
}

TEST_F(SymbolizerTest, TheRealOneOnAModuleThatIsNotThere) {
  LlvmSymbolizer real(p.options);
  EXPECT_FALSE(real.code(module_named("/no/such/module"), 0x10, frames));
  EXPECT_FALSE(real.data(module_named("/no/such/module"), 0x10, data));
  EXPECT_FALSE(real.code(module_named("/with \"both' quotes"), 0x10, frames));
  EXPECT_FALSE(real.code(module_named("/line\nend"), 0x10, frames));
  EXPECT_FALSE(real.code(module_named("[vdso]"), 0x10, frames));
  real.stop();
}

TEST_F(SymbolizerTest, WhatIsAsked) {
  script("while read line; do echo \"$line\" >> " + p.path("asked") + "; echo '" + kAnswer +
         "'; done");
  LlvmSymbolizer s(p.options);
  EXPECT_TRUE(s.code(module_named("/lib/my lib.so"), 0x1f, frames));
  EXPECT_FALSE(s.data(module_named("/lib/a\"b"), 0x20, data)) << "the answer is about code";
  s.stop();
  EXPECT_EQ(read_whole(p.path("asked")), "CODE \"/lib/my lib.so\" 0x1f\nDATA '/lib/a\"b' 0x20\n");
}

TEST_F(SymbolizerTest, OptionsReachTheChild) {
  script("echo \"$@\" > " + p.path("arguments") + "; read line; echo '" + kAnswer + "'");
  p.options.demangle = false;
  p.options.symbolize_inline_frames = false;
  LlvmSymbolizer s(p.options);
  EXPECT_TRUE(s.code(module_named("/m"), 1, frames));
  s.stop();
  EXPECT_EQ(read_whole(p.path("arguments")), "--output-style=JSON --no-inlines --no-demangle\n");
}

TEST_F(SymbolizerTest, SwitchedOffNothingIsStarted) {
  script("touch " + p.path("started"));
  p.options.symbolize = false;
  LlvmSymbolizer s(p.options);
  EXPECT_FALSE(s.code(module_named("/m"), 1, frames));
  EXPECT_FALSE(std::filesystem::exists(p.path("started")));
}

TEST_F(SymbolizerTest, AChildThatDiesIsReplacedAFewTimes) {
  script("read line; echo '" + std::string(kAnswer) + "'");  // one answer each
  LlvmSymbolizer s(p.options);
  ::testing::internal::CaptureStderr();
  int answers = 0;
  for (int i = 0; i < 20; ++i) answers += s.code(module_named("/m"), 1, frames) ? 1 : 0;
  EXPECT_EQ(answers, 5);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "bigfoot: llvm-symbolizer ended again and again; functions and lines are missing from "
            "reports, modules and offsets are shown\n");
}

TEST_F(SymbolizerTest, AChildThatDiesInTheMiddleOfAnAnswer) {
  script("read line; printf '{\"Symbol\":[{\"Func'");
  LlvmSymbolizer s(p.options);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(s.code(module_named("/m"), 1, frames));
  const std::string err = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
}

TEST_F(SymbolizerTest, NonsenseEndsTheConversationWithOneLine) {
  script("while read line; do echo nonsense; done");
  LlvmSymbolizer s(p.options);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(s.code(module_named("/m"), 1, frames));
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "bigfoot: llvm-symbolizer's answers are not understood; functions and lines are missing "
      "from reports, modules and offsets are shown\n");
}

TEST_F(SymbolizerTest, ASilentChildIsGivenUp) {
  script("exec sleep 1000");
  LlvmSymbolizer::Setting impatient;
  impatient.patience_ms = 20;
  LlvmSymbolizer s(p.options, impatient);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(s.code(module_named("/m"), 1, frames));
  EXPECT_NE(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(SymbolizerTest, ALongAnswerInPieces) {
  const std::string name(300000, 'x');
  p.write_file("answer", R"({"Symbol":[{"FunctionName":")" + name + "\"}]}\n");
  script("read line; dd if=" + p.path("answer") + " bs=1000 2>/dev/null");
  LlvmSymbolizer s(p.options);
  ASSERT_TRUE(s.code(module_named("/m"), 1, frames));
  EXPECT_EQ(to_string(frames.frames[0].function), name);
  s.stop();
}

TEST_F(SymbolizerTest, MoreInlinedFunctionsThanAreKept) {
  std::string answer = "{\"Symbol\":[";
  for (int i = 0; i < 200; ++i) answer += "{\"FunctionName\":\"f" + std::to_string(i) + "\"},";
  answer += "{\"FunctionName\":\"outermost\"}]}";
  p.write_file("answer", answer + "\n");
  script("read line; cat " + p.path("answer"));
  LlvmSymbolizer s(p.options);
  ASSERT_TRUE(s.code(module_named("/m"), 1, frames));
  EXPECT_EQ(frames.count, kMaxInlined);
  EXPECT_EQ(to_string(frames.frames[0].function), "f0");
  EXPECT_EQ(to_string(frames.frames[kMaxInlined - 1].function), "outermost");
  s.stop();
}

TEST_F(SymbolizerTest, WithoutOneThereIsOneWarning) {
  LlvmSymbolizer::Setting nowhere;
  nowhere.built_in = "/no/such/symbolizer";
  LlvmSymbolizer s(p.options, nowhere);
  const std::string path = getenv("PATH");
  setenv("PATH", p.path("").c_str(), 1);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(s.code(module_named("/m"), 1, frames));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "bigfoot: llvm-symbolizer not found (set BIGFOOT_SYMBOLIZER_PATH or "
            "external_symbolizer_path); functions and lines are missing from reports, modules and "
            "offsets are shown\n");
  setenv("PATH", path.c_str(), 1);
}

TEST_F(SymbolizerTest, WhereItIsLookedFor) {
  p.write_file("option", "", 0755);
  p.write_file("own", "", 0755);
  p.write_file("llvm", "", 0755);
  const std::string option = p.path("option"), own = p.path("own"), llvm = p.path("llvm");
  setenv("BIGFOOT_SYMBOLIZER_PATH", own.c_str(), 1);
  setenv("LLVM_SYMBOLIZER_PATH", llvm.c_str(), 1);
  p.options.external_symbolizer_path = option.c_str();
  LlvmSymbolizer s(p.options);
  EXPECT_EQ(s.find_program(), option);
  p.options.external_symbolizer_path = "";
  EXPECT_EQ(s.find_program(), own);
  unsetenv("BIGFOOT_SYMBOLIZER_PATH");
  EXPECT_EQ(s.find_program(), llvm);
  unsetenv("LLVM_SYMBOLIZER_PATH");

  LlvmSymbolizer::Setting nowhere;
  nowhere.built_in = "";
  LlvmSymbolizer by_path(p.options, nowhere);
  const std::string path = getenv("PATH");
  setenv("PATH", ("::/no/such:" + p.path("")).c_str(), 1);
  EXPECT_EQ(by_path.find_program(), nullptr);
  p.write_file("llvm-symbolizer", "", 0755);
  EXPECT_EQ(by_path.find_program(), p.path("/llvm-symbolizer"));
  p.write_file("llvm-symbolizer-22", "", 0755);
  EXPECT_EQ(by_path.find_program(), p.path("/llvm-symbolizer-22"));
  setenv("PATH", path.c_str(), 1);
}

TEST_F(SymbolizerTest, AProcessThatForksLeavesTheParentsChildAlone) {
  script("while read line; do echo '" + std::string(kAnswer) + "'; done");
  LlvmSymbolizer s(p.options);
  ASSERT_TRUE(s.code(module_named("/m"), 1, frames));
  const pid_t child = fork();
  if (child == 0) {
    s.after_fork_child();
    const bool ok = s.code(module_named("/m"), 1, frames);  // with a symbolizer of its own
    s.stop();
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(s.code(module_named("/m"), 1, frames)) << "the parent's still answers";
  s.stop();
}

// --- the child process itself
// --------------------------------------------------------------------------

std::atomic<int> child_signals;

TEST(ChildProcess, TheProgramDoesNotNoticeIt) {
  struct sigaction action = {}, old = {};
  action.sa_handler = [](int) { ++child_signals; };
  child_signals = 0;
  sigaction(SIGCHLD, &action, &old);
  sys::Child child;
  const char* argv[] = {"/bin/cat", nullptr};
  ASSERT_TRUE(sys::start_child(argv[0], argv, child));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  ASSERT_TRUE(sys::send_to_child(child, "hello\n", 6));
  char reply[6] = {};
  ASSERT_TRUE(sys::wait_readable(child.from, 10000));
  EXPECT_EQ(sys::read_some(child.from, reply, 6), 6);
  EXPECT_EQ(std::string(reply, 6), "hello\n");
  sys::end_child(child);
  EXPECT_EQ(child_signals, 0);
  sigaction(SIGCHLD, &old, nullptr);
}

TEST(ChildProcess, ItInheritsNoFilesAndNoIgnoredSignals) {
  const int extra = dup2(1, 77);
  ASSERT_EQ(extra, 77);
  struct sigaction ignore = {}, old = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGUSR1, &ignore, &old);
  sigset_t blocked, before;
  sigfillset(&blocked);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  sys::Child child;
  const char* argv[] = {"/bin/sh", "-c",
                        "ls /proc/self/fd; grep -E 'Sig(Blk|Ign)' /proc/self/status", nullptr};
  ASSERT_TRUE(sys::start_child(argv[0], argv, child));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::string output;
  char buffer[256];
  for (i64 n; (n = sys::read_some(child.from, buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<usize>(n));
  sys::end_child(child);
  sigaction(SIGUSR1, &old, nullptr);
  close(extra);
  // ls itself has the folder open as 3.
  EXPECT_EQ(output, "0\n1\n2\n3\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(ChildProcess, WritingToADeadOneFailsWithoutASignal) {
  sys::Child child;
  const char* argv[] = {"/bin/true", nullptr};
  ASSERT_TRUE(sys::start_child(argv[0], argv, child));
  char end;
  EXPECT_EQ(sys::read_some(child.from, &end, 1), 0);  // it has ended
  const std::string much(1 << 20, 'x');
  EXPECT_FALSE(sys::send_to_child(child, much.data(), much.size()));
  sys::end_child(child);
}

TEST(ChildProcess, AProgramThatCannotBeRunEndsAtOnce) {
  sys::Child child;
  const char* argv[] = {"/no/such/program", nullptr};
  ASSERT_TRUE(sys::start_child(argv[0], argv, child));
  char end;
  EXPECT_EQ(sys::read_some(child.from, &end, 1), 0);
  sys::end_child(child);
}

TEST(ChildProcess, WorksInAProgramWithoutStandardFiles) {
  const pid_t process = fork();
  if (process == 0) {
    close(0);
    close(1);
    close(2);
    sys::Child child;
    const char* argv[] = {"/bin/cat", nullptr};
    char reply[2] = {};
    const bool ok = sys::start_child(argv[0], argv, child) && sys::send_to_child(child, "x\n", 2) &&
                    sys::read_some(child.from, reply, 2) == 2 && reply[0] == 'x';
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
