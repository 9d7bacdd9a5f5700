#include "tools/vm/input.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "frontends/bfj/parser.h"

namespace bigfoot::tools {
namespace {

constexpr int kUsage = 2;

// CLI11 takes what does not fit for the largest number that does.
CLI::Validator whole_number(std::uint64_t smallest, std::uint64_t largest) {
  const std::string range = std::to_string(smallest) + " to " + std::to_string(largest);
  return {[=](const std::string& text) -> std::string {
            std::uint64_t n = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, n);
            const bool good = error == std::errc() && stop == end && n >= smallest && n <= largest;
            return good ? "" : "'" + text + "' is not a whole number from " + range;
          },
          range};
}

}  // namespace

std::unique_ptr<ManagedProgram> load_program(const std::string& file) {
  std::ifstream in(file);
  std::error_code unknown;
  if (!in || std::filesystem::is_directory(file, unknown)) {
    std::cerr << "bigfoot: error: can not read " << file << "\n";
    return nullptr;
  }
  std::stringstream text;
  text << in.rdbuf();
  bfj::ParseResult parsed = bfj::parse(text.str());
  if (!parsed.ok()) {
    std::cerr << bfj::format(parsed.errors, file);
    return nullptr;
  }
  auto p = std::make_unique<ManagedProgram>();
  p->program = std::move(parsed.program);
  p->compiled = bfj::compile(p->program);
  return p;
}

std::optional<vm::Collector> collector_named(const std::string& name) {
  if (name == "semispace") return vm::Collector::Semispace;
  if (name == "marksweep") return vm::Collector::MarkSweep;
  if (name == "concurrent") return vm::Collector::ConcurrentMarkSweep;
  return std::nullopt;
}

void add_options(CLI::App& app, vm::VmOptions& options) {
  app.add_option("--workers", options.workers, "OS threads that run the program's threads")
      ->check(CLI::Range(1, 64));
  app.add_option("--heap", options.heap_bytes, "Bytes for objects")
      ->check(whole_number(4096, 1 << 30));
  app.add_option("--collect-every", options.collect_every,
                 "Collect after so many allocations; 0: when the heap is full")
      ->check(whole_number(0, std::uint64_t{1} << 40));
  app.add_option("--quantum", options.quantum,
                 "Instructions before a thread goes back to the queue")
      ->check(CLI::Range(1, 1 << 20));
  app.add_flag("--always-migrate", options.always_migrate,
               "No thread goes on on the OS thread that ran it last; needs two --workers");
  app.add_option("--seed", options.seed, "For `?`")->check(whole_number(0, UINT64_MAX));
  app.final_callback([&options] {
    if (options.always_migrate && options.workers < 2)
      throw CLI::ValidationError("--always-migrate", "needs at least two workers");
  });
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": error: " << error.what() << "\n";
    return kUsage;
  }
  return std::nullopt;
}

std::string unfinished(const vm::VmResult& result, const vm::VmOptions& options) {
  switch (result.ending) {
    case vm::Ending::AllThreadsEnded:
      return "";
    case vm::Ending::Deadlock:
      return "deadlock: the threads that are left wait for each other";
    case vm::Ending::OutOfMemory:
      return "out of memory: what is in use fills the heap of " +
             std::to_string(options.heap_bytes) + " bytes (--heap)";
  }
  return "";
}

std::string name_of(const bfj::Location& l, const ManagedProgram& p) {
  // Serials begin at 1, with the shared objects in the order of their declarations.
  std::string name = "object " + std::to_string(l.object);
  if (l.object >= 1 && l.object <= p.program.shared.size())
    name = p.program.shared[l.object - 1].name;
  if (l.is_element) return name + "[" + std::to_string(l.unit) + "]";
  return name + "." + (l.unit < p.compiled.fields.size() ? p.compiled.fields[l.unit] : "?");
}

}  // namespace bigfoot::tools
