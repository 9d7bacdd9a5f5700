// Option strings, where they come from and what is wrong with them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "runtime/options/option_parser.h"
#include "runtime/options/option_table.h"
#include "runtime/options/options.h"

namespace {
const char* tsan_defaults = "";
const char* own_defaults = "";
}  // namespace

extern "C" {
const char* __tsan_default_options() {
  return tsan_defaults;
}
const char* __bf_default_options() {
  return own_defaults;
}
}

namespace bigfoot::rt {
namespace {

struct Parsed {
  Options options;
  bool ok = false;
  std::string message;
  std::string notes;
};

// Texts in Options live in the keeper's memory, which is never given back.
Parsed parse(const std::string& text, OptionDialect dialect = OptionDialect::kOwn) {
  Keeper keeper;
  TextBuffer message, notes;
  Parsed p;
  OptionParser parser(p.options, keeper, message, notes);
  p.ok = parser.parse(Text(text.data(), text.size()), {"SOURCE", dialect});
  p.message.assign(message.data(), message.size());
  p.notes.assign(notes.data(), notes.size());
  return p;
}

std::string error_of(const std::string& text, OptionDialect dialect = OptionDialect::kOwn) {
  const Parsed p = parse(text, dialect);
  EXPECT_FALSE(p.ok) << text;
  EXPECT_EQ(p.message.find('\n'), std::string::npos) << "more than one line";
  return p.message;
}

std::string temporary(const std::string& name, const std::string& content) {
  const std::string path =
      ::testing::TempDir() + "options-" + std::to_string(getpid()) + "-" + name;
  std::ofstream(path) << content;
  return path;
}

TEST(Options, DefaultsAreThoseOfTheTable) {
  const Options o;
  EXPECT_EQ(o.exitcode, 66u);
  EXPECT_STREQ(o.log_path, "stderr");
  EXPECT_FALSE(o.halt_on_error);
  EXPECT_TRUE(o.symbolize);
}

TEST(Options, EverySeparatorOfTheSanitizers) {
  for (const char* separator : {" ", ",", ":", "\n", "\t", "\r\n", " , :", "::"}) {
    const Parsed p = parse(std::string(separator) + "exitcode=5" + separator + "halt_on_error=1" +
                           separator + "log_path=/a/b" + separator);
    ASSERT_TRUE(p.ok) << p.message;
    EXPECT_EQ(p.options.exitcode, 5u);
    EXPECT_TRUE(p.options.halt_on_error);
    EXPECT_STREQ(p.options.log_path, "/a/b");
  }
}

TEST(Options, QuotedValuesKeepTheirSeparators) {
  EXPECT_STREQ(parse("log_path='/a b:c,d'").options.log_path, "/a b:c,d");
  EXPECT_STREQ(parse("log_path=\"it's\":exitcode=1").options.log_path, "it's");
  EXPECT_EQ(parse("log_path=\"it's\":exitcode=1").options.exitcode, 1u);
  EXPECT_STREQ(parse("log_path=''").options.log_path, "");
}

TEST(Options, EveryWayToSayYesAndNo) {
  for (const char* yes : {"1", "yes", "true"})
    EXPECT_TRUE(parse(std::string("stats=") + yes).options.stats);
  for (const char* no : {"0", "no", "false"})
    EXPECT_FALSE(parse(std::string("symbolize=") + no).options.symbolize);
}

TEST(Options, TheLastOneWins) {
  EXPECT_EQ(parse("exitcode=1:exitcode=2").options.exitcode, 2u);
}

TEST(Options, ErrorsAreOneClearLine) {
  EXPECT_EQ(error_of("hal_on_error=1"),
            "SOURCE: unknown option 'hal_on_error'; did you mean 'halt_on_error'?");
  EXPECT_EQ(error_of("no_such_thing=1"),
            "SOURCE: unknown option 'no_such_thing' (help=1 lists them all)");
  EXPECT_EQ(error_of("exitcode"), "SOURCE: expected '=' after 'exitcode'");
  EXPECT_EQ(error_of("exitcode 5"), "SOURCE: expected '=' after 'exitcode'");
  EXPECT_EQ(error_of("=5"), "SOURCE: unknown option '' (help=1 lists them all)");
  EXPECT_EQ(error_of("exitcode=6x"), "SOURCE: option 'exitcode': '6x' is not a number");
  EXPECT_EQ(error_of("exitcode=-1"), "SOURCE: option 'exitcode': '-1' is not a number");
  EXPECT_EQ(error_of("exitcode="), "SOURCE: option 'exitcode': '' is not a number");
  EXPECT_EQ(error_of("exitcode=256"),
            "SOURCE: option 'exitcode': '256' is not in range: the largest is 255");
  EXPECT_EQ(error_of("max_reports=99999999999999999999999"),
            "SOURCE: option 'max_reports': '99999999999999999999999' is not a number");
  EXPECT_EQ(error_of("stats=maybe"), "SOURCE: option 'stats': 'maybe' is not 0 or 1");
  EXPECT_EQ(error_of("color=blue"),
            "SOURCE: option 'color': 'blue' is not one of auto|always|never");
  EXPECT_EQ(error_of("log_path='/a"), "SOURCE: option 'log_path': the quote is not closed");
}

TEST(Options, WhatStoodBeforeAnErrorHasTakenEffect) {
  const Parsed p = parse("exitcode=7:nonsense=1:stats=1");
  EXPECT_FALSE(p.ok);
  EXPECT_EQ(p.options.exitcode, 7u);
  EXPECT_FALSE(p.options.stats);
}

TEST(Options, TsanSourcesKnowEveryOptionOfThatTool) {
  std::ifstream in(BIGFOOT_SOURCE_DIR "/tests/unit/runtime/options_tsan_names.txt");
  int count = 0;
  for (std::string name; std::getline(in, name);) {
    if (name[0] == '#' || name.starts_with("include")) continue;
    ++count;
    std::string value = "1";
    if (name == "color") value = "auto";
    const Parsed p = parse(name + "=" + value, OptionDialect::kTsan);
    EXPECT_TRUE(p.ok) << p.message;
  }
  EXPECT_GT(count, 100);
}

TEST(Options, EveryOptionMarkedTsanIsOne) {
  std::ifstream in(BIGFOOT_SOURCE_DIR "/tests/unit/runtime/options_tsan_names.txt");
  std::set<std::string> names;
  for (std::string name; std::getline(in, name);) names.insert(name);
  for (const OptionEntry* e = option_entries(); e->name != nullptr; ++e)
    EXPECT_EQ(names.count(e->name) != 0, e->origin == OptionOrigin::kTsan) << e->name;
  for (const IgnoredOption* o = ignored_options(); o->name != nullptr; ++o)
    EXPECT_TRUE(names.count(o->name) != 0) << o->name;
}

TEST(Options, TsanSourcesDoNotKnowOurs) {
  EXPECT_EQ(error_of("json=1", OptionDialect::kTsan),
            "SOURCE: unknown option 'json' of ThreadSanitizer (BIGFOOT_OPTIONS knows it)");
  EXPECT_EQ(error_of("nonsense=1", OptionDialect::kTsan),
            "SOURCE: unknown option 'nonsense' (help=1 lists them all)");
}

TEST(Options, IgnoredOnesLeaveANote) {
  const Parsed p = parse("history_size=7:exitcode=3");
  EXPECT_TRUE(p.ok);
  EXPECT_EQ(p.options.exitcode, 3u);
  EXPECT_EQ(p.notes, "SOURCE: history_size has no effect: no history window exists\n");
}

TEST(Options, IncludedFiles) {
  const std::string inner = temporary("inner", "exitcode=9\nstats=1\n");
  const std::string outer = temporary("outer", "include='" + inner + "' halt_on_error=1");
  const Parsed p = parse("include='" + outer + "':verbosity=2");
  ASSERT_TRUE(p.ok) << p.message;
  EXPECT_EQ(p.options.exitcode, 9u);
  EXPECT_TRUE(p.options.halt_on_error);
  EXPECT_EQ(p.options.verbosity, 2u);
  EXPECT_TRUE(parse("include_if_exists=/no/such/file").ok);
  EXPECT_EQ(error_of("include=/no/such/file"),
            "SOURCE: cannot read the options file '/no/such/file'");
  const std::string bad = temporary("bad", "stats=2");
  EXPECT_EQ(error_of("include='" + bad + "'"), bad + ": option 'stats': '2' is not 0 or 1");
  EXPECT_EQ(error_of("include='" + inner + "':stats=2"),
            "SOURCE: option 'stats': '2' is not 0 or 1")
      << "behind the file it is the outer source again";
  const std::string self = temporary("self", "");
  temporary("self", "include='" + self + "'");
  EXPECT_EQ(error_of("include='" + self + "'"),
            self + ": '" + self + "' is included too deeply; does it include itself?");
}

TEST(Options, TheDocumentationIsTheTable) {
  TextBuffer expected;
  document_options(expected);
  std::ifstream in(BIGFOOT_SOURCE_DIR "/docs/options.md");
  std::stringstream written;
  written << in.rdbuf();
  EXPECT_TRUE(written.str() == std::string(expected.data(), expected.size()))
      << "docs/options.md is out of date; write it with: unit_options --write-docs docs/options.md";
}

TEST(Options, HelpShowsEveryOptionWithItsValue) {
  const Parsed p = parse("exitcode=12:log_path=/x:stats=1");
  TextBuffer help;
  describe_options(p.options, help);
  const std::string text(help.data(), help.size());
  for (const char* line :
       {"\texitcode=12\n", "\tlog_path=/x\n", "\tstats=1\n", "\thalt_on_error=0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
  for (const OptionEntry* e = option_entries(); e->name != nullptr; ++e)
    EXPECT_NE(text.find(std::string("\n\t") + e->name + "="), std::string::npos) << e->name;
}

// --- the whole start-up, in a process of its own
// -----------------------------------------------------

void start_with(const char* tsan_hook, const char* own_hook, const char* tsan_env,
                const char* own_env) {
  tsan_defaults = tsan_hook;
  own_defaults = own_hook;
  setenv("TSAN_OPTIONS", tsan_env, 1);
  setenv("BIGFOOT_OPTIONS", own_env, 1);
  initialise_options();
  std::fprintf(stderr, "exitcode %d verbosity %d", int(options().exitcode),
               int(options().verbosity));
  std::_Exit(0);
}

using ::testing::ExitedWithCode;

TEST(OptionsStart, LaterSourcesWin) {
  EXPECT_EXIT(start_with("exitcode=1", "", "", ""), ExitedWithCode(0), "^exitcode 1 ");
  EXPECT_EXIT(start_with("exitcode=1", "exitcode=2", "", ""), ExitedWithCode(0), "^exitcode 2 ");
  EXPECT_EXIT(start_with("exitcode=1", "exitcode=2", "exitcode=3", ""), ExitedWithCode(0),
              "^exitcode 3 ");
  EXPECT_EXIT(start_with("exitcode=1", "exitcode=2", "exitcode=3", "exitcode=4"), ExitedWithCode(0),
              "^exitcode 4 ");
  EXPECT_EXIT(start_with(nullptr, nullptr, "", "exitcode=4"), ExitedWithCode(0), "^exitcode 4 ");
}

TEST(OptionsStart, BadInputEndsTheProcessWith64) {
  EXPECT_EXIT(start_with("", "", "", "foo=1"), ExitedWithCode(64),
              "^bigfoot: BIGFOOT_OPTIONS: unknown option 'foo' \\(help=1 lists them all\\)\n$");
  EXPECT_EXIT(start_with("", "", "foo=1", ""), ExitedWithCode(64),
              "^bigfoot: TSAN_OPTIONS: unknown option 'foo'");
  EXPECT_EXIT(start_with("foo=1", "", "", ""), ExitedWithCode(64),
              "^bigfoot: __tsan_default_options: unknown option 'foo'");
  EXPECT_EXIT(start_with("", "foo=1", "", ""), ExitedWithCode(64),
              "^bigfoot: __bf_default_options: unknown option 'foo'");
}

TEST(OptionsStart, OptionsOfTsanThatMeanNothingHereMakeNoNoise) {
  EXPECT_EXIT(start_with("", "", "history_size=7:io_sync=0", ""), ExitedWithCode(0),
              "^exitcode 66 verbosity 0$");
  EXPECT_EXIT(start_with("", "", "io_sync=0", "verbosity=1"), ExitedWithCode(0),
              "^TSAN_OPTIONS: io_sync has no effect: .*\nexitcode 66 verbosity 1$");
}

TEST(OptionsStart, HelpIsPrintedAndTheProgramGoesOn) {
  EXPECT_EXIT(start_with("", "", "", "help=1:exitcode=5"), ExitedWithCode(0),
              "^Options of BigFoot(.|\n)*\n\texitcode=5\n(.|\n)*exitcode 5 verbosity 0$");
}

}  // namespace
}  // namespace bigfoot::rt

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--write-docs") {
    bigfoot::rt::TextBuffer text;
    bigfoot::rt::document_options(text);
    std::ofstream(argv[2]).write(text.data(), static_cast<std::streamsize>(text.size()));
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
