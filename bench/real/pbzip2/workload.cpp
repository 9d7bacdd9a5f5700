// pbzip2: a file compressed, then decompressed again, each by a run of the whole tool.
//
// The tool's main thread reads blocks into a queue, consumers compress them, and one thread writes
// the results in order; two more watch for signals and for the end. The compressor itself (bzip2's)
// knows nothing of threads.
//
// Valid if both runs succeed and the file is what it was.
#include <csetjmp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/real/common/compressible.h"
#include "bench/real/common/scratch_folder.h"

// The tool's main, renamed. It does not return, it exits; all its threads have been joined then. So
// the program is linked with --wrap=exit, and its exit comes back here. Not by an exception: exit
// may not throw.
int pbzip2_main(int argc, char** argv);

namespace {

std::jmp_buf after_tool;
bool tool_is_running = false;
int exit_code = 0;

}  // namespace

extern "C" {
[[noreturn]] void __real_exit(int code);

[[noreturn]] void __wrap_exit(int code) {
  if (!tool_is_running) __real_exit(code);
  exit_code = code;
  std::longjmp(after_tool, 1);
}
}

namespace {

constexpr bench::BySize<std::size_t> kBytes{200'000, 1'000'000, 5'000'000, 20'000'000, 80'000'000};

// True if pbzip2 says it went well.
bool run_tool(std::vector<std::string> words) {
  static std::vector<char*> arguments;  // static: not lost by the jump
  arguments.clear();
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  tool_is_running = true;
  if (setjmp(after_tool) == 0)
    exit_code = pbzip2_main(static_cast<int>(arguments.size()) - 1, arguments.data());
  tool_is_running = false;
  return exit_code == 0;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const bench::ScratchFolder folder;
  const std::string path = folder.file("text"), compressed = path + ".bz2";
  const std::string text = bench::compressible_text(kBytes[options.size]);
  std::ofstream(path, std::ios::binary) << text;
  const std::string threads = "-p" + std::to_string(options.threads);

  timer.start();
  // -b1, -1: blocks of 100 kB, as many as fit the input; -f: the input is replaced by the output.
  bool ok = run_tool({"pbzip2", threads, "-b1", "-1", "-f", path});
  const std::size_t bytes = contents(compressed).size();
  ok = ok && run_tool({"pbzip2", threads, "-d", "-f", compressed});
  timer.stop();

  return {ok && contents(path) == text, bench::format("%zu to %zu bytes", text.size(), bytes)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "pbzip2", run);
}
