// One pass over the arguments. Each argument BigFoot cares about is a row of kRules: how it is
// spelled and what it means. What follows from several of them together is decided at the end, in
// finish().
#include "tools/driver/command_line.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "tools/driver/detectors.h"
#include "tools/driver/option_table.h"

namespace bigfoot::driver {
namespace {

// Sanitizers with a run time that takes malloc, the pthread functions or the address space for
// itself. The others (undefined, cfi, ...) live beside us as they do beside ThreadSanitizer.
constexpr auto kConflictingSanitizers = std::to_array<std::string_view>(
    {"address", "hwaddress", "kernel-address", "kernel-hwaddress", "memory", "kernel-memory",
     "leak", "dataflow", "type", "realtime", "numerical", "memtag", "memtag-stack", "memtag-heap",
     "memtag-globals"});

constexpr auto kHeaderSuffixes =
    std::to_array<std::string_view>({".h", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".H", ".tcc"});

std::vector<std::string> split_commas(std::string_view list) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    items.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

std::string join_commas(const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) list += (list.empty() ? "" : ",") + item;
  return list;
}

class Scanner {
 public:
  Scanner(const std::vector<std::string>& arguments, const Environment& environment)
      : arguments_(arguments), environment_(environment) {}

  std::variant<CommandLine, Refusal> scan() {
    for (position_ = 0; position_ < arguments_.size(); ++position_) scan_argument();
    if (!refusal_) finish();
    if (refusal_) return *refusal_;
    return std::move(command_);
  }

 private:
  // How an argument is compared with a rule's spelling, and where its value is.
  enum class Match {
    kExact,   // -c
    kPrefix,  // -fuse-ld=lld: the value is the rest
    kValue,   // -x c or -xc: the value is the next argument, or the rest
  };

  struct Rule {
    std::string_view spelling;
    Match match;
    void (Scanner::*apply)(std::string_view value);
  };
  static std::span<const Rule> rules();

  void scan_argument() {
    const std::string& argument = arguments_[position_];
    if (argument == "-" || !argument.starts_with('-')) {
      command_.inputs.push_back({.path = argument, .language = language_, .position = position_});
      command_.for_clang.push_back(argument);
      return;
    }
    const bool has_next = takes_next_argument(argument) && position_ + 1 < arguments_.size();
    kept_ = {argument};
    if (has_next) kept_.push_back(arguments_[++position_]);
    for (const Rule& rule : rules()) {
      if (!matches(rule, argument)) continue;
      const bool separate = rule.match == Match::kValue && has_next;
      (this->*rule.apply)(separate ? std::string_view(arguments_[position_])
                                   : std::string_view(argument).substr(rule.spelling.size()));
      break;
    }
    std::ranges::move(kept_, std::back_inserter(command_.for_clang));
  }

  static bool matches(const Rule& rule, std::string_view argument) {
    return rule.match == Match::kExact ? argument == rule.spelling
                                       : argument.starts_with(rule.spelling);
  }

  void refuse(std::string message) {
    if (!refusal_) refusal_ = Refusal{std::move(message)};
  }
  void drop_argument() { kept_.clear(); }

  // --- Our own options
  // -----------------------------------------------------------------------------
  void set_detector(std::string_view value) {
    drop_argument();
    command_.detector = value;
    detector_named_ = true;
  }
  void set_runtime(std::string_view value) {
    drop_argument();
    if (value == "check") {
      command_.runtime = RuntimeVariant::kChecking;
    } else if (value == "release") {
      command_.runtime = RuntimeVariant::kRelease;
    } else {
      refuse("unknown run time '" + std::string(value) +
             "' in --bigfoot-rt=; there are: release, check");
    }
  }
  void counts(std::string_view) {
    drop_argument();
    command_.count = true;
  }
  void verifies(std::string_view) {
    drop_argument();
    command_.verify = true;
  }
  void verifies_placement(std::string_view) {
    drop_argument();
    command_.verify_placement = true;
  }
  void checks_fields_apart(std::string_view) {
    drop_argument();
    command_.proxies = false;
  }
  void checks_first(std::string_view) {
    drop_argument();
    command_.check_first = true;
  }
  // Always so in C and C++; the tools for BFJ programs have a choice.
  void is_address_precise(std::string_view) { drop_argument(); }
  void explains(std::string_view value) {
    drop_argument();
    if (value.empty()) refuse("'--bigfoot-explain=' needs the name of a file or folder");
    command_.explain_to = value;
  }
  void refuse_own_option(std::string_view) {
    refuse("unknown option '" + arguments_[position_] +
           "'; BigFoot's own are --detector=NAME, --bigfoot-rt=release|check, --bigfoot-count, "
           "--bigfoot-verify, --bigfoot-explain=FILE, --check-first, --no-proxies, "
           "--address-precise and "
           "--verify-placement");
  }

  // --- What clang makes
  // ----------------------------------------------------------------------------
  void only_answers(std::string_view) { only_answers_ = true; }
  void stops_before_link(std::string_view) { stops_before_link_ = true; }
  void makes_shared(std::string_view) { shared_ = true; }
  void makes_relocatable(std::string_view) { relocatable_ = true; }
  void makes_static(std::string_view) { static_option_ = arguments_[position_]; }
  void links_library(std::string_view) { links_library_ = true; }
  void sets_language(std::string_view value) { language_ = value == "none" ? "" : value; }
  void sets_target(std::string_view value) {
    // The architecture is the part before the first dash; the run time exists for one of them.
    const bool ours = value.starts_with("x86_64-") && value.find("linux") != std::string_view::npos;
    foreign_target_ = ours ? std::string() : std::string(value);
  }
  void sets_narrow(std::string_view) { foreign_target_ = arguments_[position_]; }
  void sets_wide(std::string_view) { foreign_target_.clear(); }
  // The thin-LTO backend step of a distributed build: its input was instrumented when it was
  // compiled.
  void compiles_instrumented_bitcode(std::string_view) { instrumented_already_ = true; }

  // --- Sanitizers
  // ----------------------------------------------------------------------------------
  void adds_sanitizers(std::string_view value) {
    std::vector<std::string> others;
    for (const std::string& name : split_commas(value)) {
      if (name == "thread") {
        command_.instrument = true;
        continue;
      }
      if (std::ranges::find(kConflictingSanitizers, name) != kConflictingSanitizers.end()) {
        conflicting_.insert(name);
      }
      others.push_back(name);
    }
    drop_argument();
    if (!others.empty()) kept_ = {"-fsanitize=" + join_commas(others)};
  }
  void removes_sanitizers(std::string_view value) {
    for (const std::string& name : split_commas(value)) {
      if (name == "thread" || name == "all") command_.instrument = false;
      if (name == "all") conflicting_.clear();
      conflicting_.erase(name);
    }
  }
  // clang's driver forgets the list when it sees no sanitizer; it goes to cc1 with our own.
  void adds_ignore_list(std::string_view value) {
    drop_argument();
    command_.ignore_lists.emplace_back(value);
  }
  void forgets_ignore_lists(std::string_view) { command_.ignore_lists.clear(); }

  // --- Linking
  // -------------------------------------------------------------------------------------
  void turns_lto_on(std::string_view kind) {
    command_.link_time = kind == "thin" ? LinkTime::kThin : LinkTime::kFull;
  }
  void turns_lto_off(std::string_view) { command_.link_time = LinkTime::kNothing; }
  void chooses_linker(std::string_view linker) { command_.linker = linker; }
  // Of the linker's passes as of the compiler's: checks may be placed there.
  void wants_remarks(std::string_view) {
    const std::string& argument = arguments_[position_];
    command_.remarks.push_back("-pass-remarks" + argument.substr(std::size("-Rpass") - 1));
  }
  void drops_default_libraries(std::string_view) { command_.default_libraries = false; }
  void drops_start_files(std::string_view) { no_start_files_ = arguments_[position_]; }
  void drops_both(std::string_view value) {
    drops_default_libraries(value);
    drops_start_files(value);
  }
  void passes_to_linker(std::string_view value) {
    std::ranges::move(split_commas(value), std::back_inserter(linker_arguments_));
  }
  void passes_one_to_linker(std::string_view value) { linker_arguments_.emplace_back(value); }
  void sets_linker_keyword(std::string_view value) {
    linker_arguments_.emplace_back("-z");
    linker_arguments_.emplace_back(value);
  }

  // The linker's word on which libraries it takes from there on; clang's own, the C library among
  // them, come last.
  void look_at_library_kind(std::string_view argument) {
    constexpr auto kStatic =
        std::to_array<std::string_view>({"-static", "--static", "-Bstatic", "-dn", "-non_shared"});
    constexpr auto kDynamic = std::to_array<std::string_view>({"-Bdynamic", "-dy", "-call_shared"});
    if (std::ranges::find(kStatic, argument) != kStatic.end())
      static_libraries_ = "-Wl," + std::string(argument);
    if (std::ranges::find(kDynamic, argument) != kDynamic.end()) static_libraries_.clear();
  }

  void look_at_linker_arguments() {
    std::string_view previous;
    for (const std::string& argument : linker_arguments_) {
      look_at_library_kind(argument);
      const bool keyword = previous == "-z";
      if (argument == "-shared" || argument == "--shared" || argument == "-Bshareable")
        shared_ = true;
      if (argument == "-r" || argument == "--relocatable") relocatable_ = true;
      if (argument == "--no-undefined" || argument == "-no-undefined" || argument == "-zdefs" ||
          (keyword && argument == "defs")) {
        command_.forbids_undefined = true;
      }
      previous = argument;
    }
  }

  Product product() const {
    const bool has_input = !command_.inputs.empty() || links_library_;
    if (only_answers_ || !has_input) return Product::kNothing;
    if (stops_before_link_) return Product::kIntermediate;
    if (!command_.inputs.empty() && std::ranges::all_of(command_.inputs, is_header)) {
      return Product::kIntermediate;
    }
    if (relocatable_) return Product::kRelocatable;
    return shared_ ? Product::kSharedLibrary : Product::kExecutable;
  }

  void finish() {
    look_at_linker_arguments();
    command_.product = product();
    if (instrumented_already_) command_.instrument = false;
    choose_detector();
    if (command_.product == Product::kNothing) return;
    if (!foreign_target_.empty()) {
      refuse("'" + foreign_target_ + "': BigFoot's run time exists for x86_64 Linux only");
    }
    if (!conflicting_.empty()) {
      refuse("-fsanitize=" + *conflicting_.begin() +
             " can not be combined with race detection: both replace malloc and shadow the memory");
    }
    if (command_.product == Product::kExecutable) look_at_executable();
  }

  void look_at_executable() {
    if (static_option_.empty()) static_option_ = static_libraries_;
    if (!static_option_.empty()) {
      refuse("'" + static_option_ +
             "': static executables are not supported; the run time has to find the C library's "
             "functions by dynamic linking");
    }
    if (!no_start_files_.empty() && std::ranges::none_of(command_.inputs, is_start_file)) {
      refuse("'" + no_start_files_ +
             "': an executable without the C library's start files (crt1.o) never starts the run "
             "time");
    }
  }
  // crt1.o, and Scrt1.o, gcrt1.o, rcrt1.o for other kinds of executables.
  static bool is_start_file(const Input& input) { return input.path.ends_with("crt1.o"); }

  void choose_detector() {
    std::string_view origin = "--detector=";
    if (!detector_named_) {
      const char* named = environment_("BIGFOOT_DETECTOR");
      const bool set = named != nullptr && *named != '\0';
      command_.detector = set ? named : std::string(default_detector());
      origin = "BIGFOOT_DETECTOR=";
    }
    if (find_detector(command_.detector) != nullptr) return;
    const std::string setting = "'" + std::string(origin) + command_.detector + "'";
    refuse(setting + ": no such detector; available: " + detector_names());
  }

  const std::vector<std::string>& arguments_;
  const Environment& environment_;
  std::size_t position_ = 0;
  std::vector<std::string> kept_;  // what of the present argument goes on to clang

  CommandLine command_;
  std::optional<Refusal> refusal_;

  std::string language_;
  std::vector<std::string> linker_arguments_;
  std::set<std::string, std::less<>> conflicting_;
  std::string static_option_;
  std::string static_libraries_;  // what made the linker want static ones, at the end of the line
  std::string no_start_files_;
  std::string foreign_target_;
  bool detector_named_ = false;
  bool only_answers_ = false;
  bool stops_before_link_ = false;
  bool shared_ = false;
  bool relocatable_ = false;
  bool links_library_ = false;
  bool instrumented_already_ = false;
};

// The first row that matches decides, so longer spellings stand before their prefixes.
std::span<const Scanner::Rule> Scanner::rules() {
  static constexpr Rule kRules[] = {
      {"--detector=", Match::kPrefix, &Scanner::set_detector},
      {"--bigfoot-rt=", Match::kPrefix, &Scanner::set_runtime},
      {"--bigfoot-count", Match::kExact, &Scanner::counts},
      {"--bigfoot-verify", Match::kExact, &Scanner::verifies},
      {"--bigfoot-explain=", Match::kPrefix, &Scanner::explains},
      {"--verify-placement", Match::kExact, &Scanner::verifies_placement},
      {"--check-first", Match::kExact, &Scanner::checks_first},
      {"--no-proxies", Match::kExact, &Scanner::checks_fields_apart},
      {"--address-precise", Match::kExact, &Scanner::is_address_precise},
      {"--detector", Match::kPrefix, &Scanner::refuse_own_option},
      {"--bigfoot-", Match::kPrefix, &Scanner::refuse_own_option},

      {"--version", Match::kExact, &Scanner::only_answers},
      {"-help", Match::kPrefix, &Scanner::only_answers},
      {"--help", Match::kPrefix, &Scanner::only_answers},
      {"-print-", Match::kPrefix, &Scanner::only_answers},
      {"--print-", Match::kPrefix, &Scanner::only_answers},
      {"-dumpmachine", Match::kExact, &Scanner::only_answers},
      {"-dumpversion", Match::kExact, &Scanner::only_answers},
      {"--autocomplete=", Match::kPrefix, &Scanner::only_answers},

      {"-c", Match::kExact, &Scanner::stops_before_link},
      {"--compile", Match::kExact, &Scanner::stops_before_link},
      {"-S", Match::kExact, &Scanner::stops_before_link},
      {"--assemble", Match::kExact, &Scanner::stops_before_link},
      {"-E", Match::kExact, &Scanner::stops_before_link},
      {"--preprocess", Match::kExact, &Scanner::stops_before_link},
      {"--driver-mode=cpp", Match::kExact, &Scanner::stops_before_link},
      {"-M", Match::kExact, &Scanner::stops_before_link},
      {"--dependencies", Match::kExact, &Scanner::stops_before_link},
      {"-MM", Match::kExact, &Scanner::stops_before_link},
      {"--user-dependencies", Match::kExact, &Scanner::stops_before_link},
      {"-fsyntax-only", Match::kExact, &Scanner::stops_before_link},
      {"--analyze", Match::kPrefix, &Scanner::stops_before_link},
      {"--precompile", Match::kExact, &Scanner::stops_before_link},
      {"-emit-ast", Match::kExact, &Scanner::stops_before_link},
      {"-emit-interface-stubs", Match::kExact, &Scanner::stops_before_link},
      {"-extract-api", Match::kExact, &Scanner::stops_before_link},
      {"-module-file-info", Match::kExact, &Scanner::stops_before_link},
      {"-verify-pch", Match::kExact, &Scanner::stops_before_link},
      {"-fthinlto-index=", Match::kPrefix, &Scanner::compiles_instrumented_bitcode},

      {"-shared", Match::kExact, &Scanner::makes_shared},
      {"--shared", Match::kExact, &Scanner::makes_shared},
      {"-r", Match::kExact, &Scanner::makes_relocatable},
      {"-static", Match::kExact, &Scanner::makes_static},
      {"--static", Match::kExact, &Scanner::makes_static},
      {"-static-pie", Match::kExact, &Scanner::makes_static},

      {"-x", Match::kValue, &Scanner::sets_language},
      {"--language=", Match::kPrefix, &Scanner::sets_language},
      {"--language", Match::kValue, &Scanner::sets_language},
      {"-target", Match::kValue, &Scanner::sets_target},
      {"--target=", Match::kPrefix, &Scanner::sets_target},
      {"-m32", Match::kExact, &Scanner::sets_narrow},
      {"-mx32", Match::kExact, &Scanner::sets_narrow},
      {"-m16", Match::kExact, &Scanner::sets_narrow},
      {"-m64", Match::kExact, &Scanner::sets_wide},

      {"-fsanitize=", Match::kPrefix, &Scanner::adds_sanitizers},
      {"-fno-sanitize=", Match::kPrefix, &Scanner::removes_sanitizers},
      {"-fsanitize-ignorelist=", Match::kPrefix, &Scanner::adds_ignore_list},
      {"-fsanitize-blacklist=", Match::kPrefix, &Scanner::adds_ignore_list},
      {"-fno-sanitize-ignorelist", Match::kExact, &Scanner::forgets_ignore_lists},
      {"-fno-sanitize-blacklist", Match::kExact, &Scanner::forgets_ignore_lists},

      {"-flto", Match::kExact, &Scanner::turns_lto_on},
      {"-flto=", Match::kPrefix, &Scanner::turns_lto_on},
      {"-fno-lto", Match::kExact, &Scanner::turns_lto_off},
      {"-Rpass=", Match::kPrefix, &Scanner::wants_remarks},
      {"-Rpass-missed=", Match::kPrefix, &Scanner::wants_remarks},
      {"-Rpass-analysis=", Match::kPrefix, &Scanner::wants_remarks},
      {"-fuse-ld=", Match::kPrefix, &Scanner::chooses_linker},
      {"--ld-path=", Match::kPrefix, &Scanner::chooses_linker},
      {"-nostdlib", Match::kExact, &Scanner::drops_both},
      {"--no-standard-libraries", Match::kExact, &Scanner::drops_both},
      {"-nostartfiles", Match::kExact, &Scanner::drops_start_files},
      {"-nodefaultlibs", Match::kExact, &Scanner::drops_default_libraries},
      {"-nolibc", Match::kExact, &Scanner::drops_default_libraries},
      {"-Wl,", Match::kPrefix, &Scanner::passes_to_linker},
      {"-Xlinker", Match::kValue, &Scanner::passes_one_to_linker},
      {"--for-linker=", Match::kPrefix, &Scanner::passes_one_to_linker},
      {"--for-linker", Match::kValue, &Scanner::passes_one_to_linker},
      {"-z", Match::kValue, &Scanner::sets_linker_keyword},
      // Libraries count as something to link; -Wl, alone does not: `cc -Wl,--version` asks which
      // linker there is (Meson, libtool) and must not fail for want of a main.
      {"-l", Match::kValue, &Scanner::links_library},
  };
  return kRules;
}

}  // namespace

Mode mode_of_program(std::string_view argv0) {
  const std::string_view name = argv0.substr(argv0.find_last_of('/') + 1);
  return name.ends_with("++") ? Mode::kCxx : Mode::kC;
}

bool links_with_lld(const CommandLine& command) {
  // GNU ld does LTO through a plugin that may be older than clang or absent.
  if (command.linker.empty()) return command.link_time != LinkTime::kNothing;
  const std::string_view linker = command.linker;
  const std::string_view name = linker.substr(linker.find_last_of('/') + 1);
  return name.starts_with("lld") || name.starts_with("ld.lld");
}

bool is_header(const Input& input) {
  if (!input.language.empty()) return input.language.find("-header") != std::string::npos;
  const std::size_t dot = input.path.find_last_of("./");
  return dot != std::string::npos &&
         std::ranges::find(kHeaderSuffixes, std::string_view(input.path).substr(dot)) !=
             kHeaderSuffixes.end();
}

std::variant<CommandLine, Refusal> parse_command_line(const std::vector<std::string>& arguments,
                                                      const Environment& environment) {
  // A command for one of clang's parts, not for its driver: nothing in it is ours.
  if (!arguments.empty() && arguments.front().starts_with("-cc1")) {
    CommandLine untouched;
    untouched.for_clang = arguments;
    return untouched;
  }
  return Scanner(arguments, environment).scan();
}

}  // namespace bigfoot::driver
