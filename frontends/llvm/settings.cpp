#include "frontends/llvm/settings.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CommandLine.h>

#include <algorithm>
#include <iterator>

namespace bigfoot::frontend {
namespace {

using llvm::cl::desc;
using llvm::cl::Hidden;

constexpr const char* kNames[] = {"fasttrack", "redcard", "slimstate", "slimcard", "bigfoot"};

llvm::cl::opt<Choice> choice(
    "bigfoot-detector", desc("How bigfoot places race checks"),
    llvm::cl::values(
        clEnumValN(Choice::FastTrack, kNames[0], "at every access"),
        clEnumValN(Choice::RedCard, kNames[1], "redundant ones dropped"),
        clEnumValN(Choice::SlimState, kNames[2], "at every access, arrays compressed"),
        clEnumValN(Choice::SlimCard, kNames[3], "redundant ones dropped, arrays compressed"),
        clEnumValN(Choice::BigFoot, kNames[4], "moved, merged and dropped, arrays compressed")),
    llvm::cl::init(Choice::FastTrack));
llvm::cl::opt<bool> count("bigfoot-count",
                          desc("Count accesses and race checks as they are executed"));
llvm::cl::opt<bool> verify("bigfoot-verify",
                           desc("Tell the run time of every access and every check"));
llvm::cl::opt<bool> check_first(
    "bigfoot-check-first", desc("Every check before its access, as data-race exceptions need"));
llvm::cl::opt<bool> no_proxies(
    "bigfoot-no-proxies",
    desc("Check each field on its own, also those that are always checked together"));
llvm::cl::opt<bool> verify_placement(
    "bigfoot-verify-placement",
    desc("Have every placement judged by GoodChecks, an independent verifier"));
llvm::cl::opt<bool> dump("bigfoot-dump", Hidden,
                         desc("Print each abstract function with its checks"));
llvm::cl::opt<bool> one_sided_proxies(
    "bigfoot-one-sided-proxies", Hidden,
    desc("Leave out the checks of fields that another one would speak for if the file were the "
         "whole program, to count them (races can be missed)"));
llvm::cl::opt<unsigned> omit_check(
    "bigfoot-omit-check", Hidden,
    desc("Leave out the n-th check of each function, to see the verifiers notice"));
llvm::cl::opt<std::string> explain_to(
    "bigfoot-explain", desc("Write what became of every access to this file or folder"),
    llvm::cl::value_desc("path"));
llvm::cl::opt<bool> at_link(
    "bigfoot-at-link",
    desc("Before a full LTO link: leave the checks to the linker, which loads the plugin, too"));

// The text begins with it. One more for each change of what the lines mean.
constexpr const char* kVersion = "settings 1";
constexpr llvm::StringLiteral kDetector = "detector=";
constexpr llvm::StringLiteral kOmit = "omit-check=";
constexpr llvm::StringLiteral kExplain = "explain=";

struct Flag {
  const char* name;
  bool Settings::*member;
};
constexpr Flag kFlags[] = {
    {"count", &Settings::count},
    {"verify", &Settings::verify},
    {"check-first", &Settings::check_first},
    {"no-proxies", &Settings::no_proxies},
    {"one-sided-proxies", &Settings::one_sided_proxies},
    {"verify-placement", &Settings::verify_placement},
    {"dump", &Settings::dump},
};

bool read_line(llvm::StringRef line, Settings& into) {
  if (line.consume_front(kDetector)) {
    const auto* name = std::ranges::find(kNames, line);
    into.detector = static_cast<Choice>(name - std::begin(kNames));
    return name != std::end(kNames);
  }
  if (line.consume_front(kOmit)) return !line.getAsInteger(10, into.omit_check);
  if (line.consume_front(kExplain)) {
    into.explain_to = line.str();
    return true;
  }
  const auto* flag =
      std::ranges::find(kFlags, line, [](const Flag& f) { return llvm::StringRef(f.name); });
  if (flag == std::end(kFlags)) return false;
  into.*flag->member = true;
  return true;
}

}  // namespace

placement::Detector Settings::placement() const {
  switch (detector) {
    case Choice::FastTrack:
    case Choice::SlimState:
      return placement::Detector::FastTrack;
    case Choice::RedCard:
    case Choice::SlimCard:
      return placement::Detector::RedCard;
    case Choice::BigFoot:  // which moves checks past their accesses, and nothing else
      return check_first ? placement::Detector::RedCard : placement::Detector::BigFoot;
  }
  return placement::Detector::FastTrack;
}

bool Settings::compresses_arrays() const {
  return detector != Choice::FastTrack && detector != Choice::RedCard;
}

// What bigfoot makes of a sweep over an array is a range, so that a large array shows at its first
// check whether it is swept; the others that compress arrays sweep access by access.
abi::UseArrays Settings::use_arrays() const {
  return detector == Choice::BigFoot ? abi::kUseForLargeChecks : abi::kUseAlways;
}

InlineTests Settings::inline_tests() const {
  if (placement() == placement::Detector::BigFoot) return InlineTests::HotLoops;
  const bool sweeps = detector == Choice::SlimState || detector == Choice::SlimCard;
  return sweeps ? InlineTests::EverywhereWithSweeps : InlineTests::Everywhere;
}

explain::Destination Settings::explain_destination() const {
  return {explain_to, kNames[static_cast<std::size_t>(detector)]};
}

Settings settings_asked_for() {
  return {.detector = choice,
          .count = count,
          .verify = verify,
          .check_first = check_first,
          .no_proxies = no_proxies,
          .one_sided_proxies = one_sided_proxies,
          .verify_placement = verify_placement,
          .dump = dump,
          .omit_check = omit_check,
          .explain_to = explain_to};
}

bool left_to_the_linker() {
  return at_link;
}

std::string to_text(const Settings& settings) {
  std::string text = kVersion;
  const auto line = [&](const llvm::Twine& what) { text += ("\n" + what).str(); };
  line(kDetector + llvm::StringRef(kNames[static_cast<std::size_t>(settings.detector)]));
  for (const Flag& f : kFlags)
    if (settings.*f.member) line(f.name);
  if (settings.omit_check != 0) line(kOmit + llvm::Twine(settings.omit_check));
  if (!settings.explain_to.empty()) line(kExplain + llvm::Twine(settings.explain_to));
  return text;
}

std::optional<Settings> from_text(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 8> lines;
  text.split(lines, '\n');
  if (lines.front() != kVersion) return std::nullopt;
  Settings settings;
  for (llvm::StringRef line : llvm::drop_begin(lines))
    if (!read_line(line, settings)) return std::nullopt;
  return settings;
}

}  // namespace bigfoot::frontend
