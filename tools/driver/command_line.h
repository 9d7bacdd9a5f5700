// What a user's clang command line asks for, as far as BigFoot has to know.
//
// The driver passes every argument on to clang except its own. Two questions decide what it adds:
// does this command instrument, and does it link an executable? This file answers them from the
// arguments alone; it touches no file.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bigfoot::driver {

// Which of clang's two names the driver stands for. It decides the libraries clang links.
enum class Mode { kC, kCxx };

// `bigfoot-clang++`, also behind a path or a symbolic link such as `c++`: names that end in ++.
Mode mode_of_program(std::string_view argv0);

// What the command leaves behind.
enum class Product {
  kNothing,       // --version, -print-*, no input: clang answers, nothing is compiled
  kIntermediate,  // -c, -S, -E, -fsyntax-only, precompiled headers, ...: no link
  kExecutable,
  kSharedLibrary,  // the run time stays in the executable
  kRelocatable,    // -r: the executable it ends up in brings the run time
};

// Optimisation in the linker: of the program as one, or of its files with copies of each other's
// functions.
enum class LinkTime { kNothing, kFull, kThin };

enum class RuntimeVariant { kRelease, kChecking };

struct Input {
  std::string path;
  std::string language;      // of the last -x before it; empty: clang goes by the file's name
  std::size_t position = 0;  // among the arguments that were parsed
};

struct CommandLine {
  std::vector<std::string> for_clang;  // the arguments left when ours are taken out
  std::vector<Input> inputs;
  Product product = Product::kNothing;

  std::string detector;
  RuntimeVariant runtime = RuntimeVariant::kRelease;
  bool count = false;             // builds that count accesses and checks
  bool verify = false;            // builds whose run shows whether every access is checked
  bool verify_placement = false;  // builds whose placement is judged by GoodChecks
  bool proxies = true;            // fields that are checked together may share a location
  bool check_first = false;       // every check before its access
  std::string explain_to;         // file or folder for `explain` records; empty: none

  bool instrument = true;                   // false after -fno-sanitize=thread
  LinkTime link_time = LinkTime::kNothing;  // -flto
  std::string linker;                       // -fuse-ld= or --ld-path=; empty: clang's choice
  std::vector<std::string> remarks;         // -Rpass= and its like, as LLVM calls them
  bool forbids_undefined = false;           // -Wl,-z,defs and its other spellings
  bool default_libraries = true;            // false after -nostdlib, -nodefaultlibs, -nolibc
  std::vector<std::string> ignore_lists;    // -fsanitize-ignorelist=
};

// Why the command can not be run, in one line without the program's name.
struct Refusal {
  std::string message;
};

// Looks up an environment variable; null when unset. A parameter so that tests need no environment.
using Environment = std::function<const char*(const char*)>;

// `arguments` without the program's name, response files already expanded.
std::variant<CommandLine, Refusal> parse_command_line(const std::vector<std::string>& arguments,
                                                      const Environment& environment);

// Whether the linker is lld, which comes with clang: by name, or because it is ours to choose.
bool links_with_lld(const CommandLine& command);

// True for files clang compiles into a precompiled header when named as input.
bool is_header(const Input& input);

}  // namespace bigfoot::driver
