// What is added to a command, and why in this way.
//
// Compile side. Everything goes to cc1 by -Xclang, for three reasons: clang's driver, seeing
// -fsanitize=thread, would link ThreadSanitizer's run time; it would hand -mllvm and -fpass-plugin
// on to the assembler and to the linker's LTO step, which do not know the plugin; and -Xclang is
// ignored where no cc1 runs (assembler sources, link-only commands).
//   -fsanitize=thread   marks functions sanitize_thread, honours no_sanitize("thread"), makes
//                       __has_feature(thread_sanitizer) true; the plugin keeps TSan's own pass out
//   -fpass-plugin=      puts the plugin's passes into the pipeline
//   -load, -mllvm       detector, counting, verifying, explaining, where it is not what the plugin
//   does
//                       unasked: -load makes the options known before options are parsed. On the
//                       command line rather than in the environment, so that distributed builds
//                       and compiler caches see it
//   -bigfoot-at-link    for full LTO: the file is only marked, and gets its checks in the linker
// -gline-tables-only stands before the user's arguments: any -g of theirs, -g0 included, wins.
//
// Link side. The run time comes first and whole, so that its malloc and its pthread functions win
// over those of any library of the program, and its dynamic list exports what shared libraries
// need. lld loads the plugin, too, for files that were only marked. It knows none of the plugin's
// options, so they are written down in those files; remarks are the compiler's business, and have
// to be asked for here again.
#include "tools/driver/translate.h"

#include "tools/driver/detectors.h"

namespace bigfoot::driver {
namespace {

using Arguments = std::vector<std::string>;

// LLVM 19 does not tell the plugin what a file is compiled for.
constexpr bool kPlacesAtLink = BIGFOOT_LLVM_MAJOR >= 20;

bool compiles(Product product) {
  return product != Product::kNothing;
}

bool links(Product product) {
  return product == Product::kExecutable || product == Product::kSharedLibrary ||
         product == Product::kRelocatable;
}

// Also for objects of other commands, whatever this one says of LTO.
bool linker_loads_plugin(const CommandLine& command) {
  return kPlacesAtLink && links(command.product) && links_with_lld(command);
}

void to_cc1(Arguments& arguments, const std::string& argument) {
  arguments.insert(arguments.end(), {"-Xclang", argument});
}

// What the plugin has to be told, beyond what it does unasked.
Arguments plugin_options(const CommandLine& command) {
  Arguments options;
  const Detector* detector = find_detector(command.detector);
  if (detector != nullptr && !detector->plugin_option.empty())
    options.emplace_back(detector->plugin_option);
  if (command.count) options.emplace_back("-bigfoot-count");
  if (command.verify) options.emplace_back("-bigfoot-verify");
  if (command.verify_placement) options.emplace_back("-bigfoot-verify-placement");
  if (command.check_first) options.emplace_back("-bigfoot-check-first");
  if (!command.proxies) options.emplace_back("-bigfoot-no-proxies");
  if (!command.explain_to.empty()) options.push_back("-bigfoot-explain=" + command.explain_to);
  if (command.link_time == LinkTime::kFull && kPlacesAtLink && links_with_lld(command))
    options.emplace_back("-bigfoot-at-link");
  return options;
}

void add_compile_side(Arguments& arguments, const CommandLine& command,
                      const Toolchain& toolchain) {
  arguments.emplace_back("-gline-tables-only");
  to_cc1(arguments, "-fsanitize=thread");
  for (const std::string& list : command.ignore_lists)
    to_cc1(arguments, "-fsanitize-ignorelist=" + list);
  to_cc1(arguments, "-fpass-plugin=" + toolchain.plugin.string());
  const Arguments options = plugin_options(command);
  if (options.empty()) return;
  to_cc1(arguments, "-load");
  to_cc1(arguments, toolchain.plugin);
  for (const std::string& option : options) {
    to_cc1(arguments, "-mllvm");
    to_cc1(arguments, option);
  }
}

void to_linker(Arguments& arguments, const std::string& argument) {
  arguments.insert(arguments.end(), {"-Xlinker", argument});
}

void add_plugin_to_linker(Arguments& arguments, const CommandLine& command,
                          const Toolchain& toolchain) {
  to_linker(arguments, "--load-pass-plugin=" + toolchain.plugin.string());
  for (const std::string& remarks : command.remarks) {
    to_linker(arguments, "-mllvm");
    to_linker(arguments, remarks);
  }
}

void add_runtime(Arguments& arguments, const CommandLine& command, const Toolchain& toolchain) {
  arguments.insert(arguments.end(),
                   {"-Wl,--whole-archive", toolchain.runtime, "-Wl,--no-whole-archive", "-Xlinker",
                    "--dynamic-list=" + toolchain.exported_symbols.string()});
  arguments.insert(arguments.end(), {"-lpthread", "-ldl", "-lm", "-lrt"});
  // The program may do without the C library and the unwinder; the run time does not.
  if (!command.default_libraries) arguments.insert(arguments.end(), {"-lgcc_s", "-lc"});
}

}  // namespace

std::vector<std::string> clang_arguments(const CommandLine& command, Mode mode,
                                         const Toolchain& toolchain) {
  Arguments arguments;
  if (mode == Mode::kCxx) arguments.emplace_back("--driver-mode=g++");
  if (compiles(command.product)) {
    arguments.emplace_back("--start-no-unused-arguments");
    if (command.instrument) add_compile_side(arguments, command, toolchain);
    if (command.linker.empty() && links_with_lld(command)) arguments.emplace_back("-fuse-ld=lld");
    if (linker_loads_plugin(command)) add_plugin_to_linker(arguments, command, toolchain);
    if (command.product == Product::kExecutable) add_runtime(arguments, command, toolchain);
    arguments.emplace_back("--end-no-unused-arguments");
  }
  arguments.insert(arguments.end(), command.for_clang.begin(), command.for_clang.end());
  // A shared library finds the run time in the executable, at load time; the last word on -z wins.
  if (command.product == Product::kSharedLibrary && command.forbids_undefined) {
    arguments.emplace_back("-Wl,-z,undefs");
  }
  return arguments;
}

std::vector<std::filesystem::path> needed_files(const CommandLine& command,
                                                const Toolchain& toolchain) {
  std::vector<std::filesystem::path> files;
  if ((compiles(command.product) && command.instrument) || linker_loads_plugin(command))
    files.push_back(toolchain.plugin);
  if (command.product == Product::kExecutable) {
    files.insert(files.end(), {toolchain.runtime, toolchain.exported_symbols});
  }
  return files;
}

}  // namespace bigfoot::driver
