#include "tools/driver/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tools/parse_helper.h"

namespace bigfoot::driver {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

const Toolchain kTools = {
    .plugin = "/lib/p.so", .runtime = "/lib/rt.a", .exported_symbols = "/lib/rt.syms"};

Strings translate(const Strings& arguments, Mode mode = Mode::kC) {
  return clang_arguments(parse(arguments), mode, kTools);
}

std::ptrdiff_t position(const Strings& arguments, const std::string& argument) {
  return std::ranges::find(arguments, argument) - arguments.begin();
}

TEST(Translate, AddsNothingToAQuestion) {
  EXPECT_THAT(translate({"--version"}), ElementsAre("--version"));
  EXPECT_THAT(translate({"-v"}, Mode::kCxx), ElementsAre("--driver-mode=g++", "-v"));
  EXPECT_THAT(translate({}), IsEmpty());
}

TEST(Translate, CompileStepHasPluginAndNoRunTime) {
  const Strings result = translate({"-c", "a.c"});
  EXPECT_THAT(result, Contains("-fpass-plugin=/lib/p.so"));
  EXPECT_THAT(result, Not(Contains("/lib/rt.a")));
}

// `argument` is there, as the value of an -Xclang.
void expect_for_cc1(const Strings& arguments, const std::string& argument) {
  const auto at = position(arguments, argument);
  ASSERT_LT(at, std::ssize(arguments)) << argument;
  ASSERT_GT(at, 0) << argument;
  EXPECT_EQ(arguments[static_cast<std::size_t>(at - 1)], "-Xclang") << argument;
}

TEST(Translate, InstrumentationGoesToCc1Only) {
  const Strings result = translate({"-c", "a.c"});
  expect_for_cc1(result, "-fsanitize=thread");
  expect_for_cc1(result, "-fpass-plugin=/lib/p.so");
}

TEST(Translate, DetectorThePluginHasToBeToldIsAnOptionForCc1) {
  CommandLine command = parse({"-c", "a.c"});
  command.detector = "redcard";
  const Strings result = clang_arguments(command, Mode::kC, kTools);
  for (const char* argument : {"-load", "/lib/p.so", "-mllvm", "-bigfoot-detector=redcard"}) {
    expect_for_cc1(result, argument);
  }
  EXPECT_LT(position(result, "-load"), position(result, "-mllvm"));
}

TEST(Translate, CountingAndVerifyingAreOptionsForCc1WithAnyDetector) {
  const Strings result =
      translate({"--detector=fasttrack", "--bigfoot-count", "--bigfoot-verify", "-c", "a.c"});
  for (const char* argument : {"-load", "-bigfoot-count", "-bigfoot-verify"})
    expect_for_cc1(result, argument);
  EXPECT_THAT(result, Not(Contains("--bigfoot-count")));
  EXPECT_THAT(result, Not(Contains("--bigfoot-verify")));
}

TEST(Translate, FieldsApartIsAnOptionForCc1) {
  const Strings result = translate({"--no-proxies", "-c", "a.c"});
  expect_for_cc1(result, "-bigfoot-no-proxies");
  EXPECT_THAT(result, Not(Contains("--no-proxies")));
}

TEST(Translate, CheckingFirstIsAnOptionForCc1WithAnyDetector) {
  for (const char* detector : {"--detector=fasttrack", "--detector=bigfoot"}) {
    const Strings result = translate({detector, "--check-first", "-c", "a.c"});
    expect_for_cc1(result, "-bigfoot-check-first");
    EXPECT_THAT(result, Not(Contains("--check-first")));
  }
}

TEST(Translate, AddressPrecisionIsAcceptedAndChangesNothing) {
  EXPECT_EQ(translate({"--address-precise", "-c", "a.c"}), translate({"-c", "a.c"}));
}

TEST(Translate, ExplainingIsAnOptionForCc1WithAnyDetector) {
  const Strings result =
      translate({"--detector=fasttrack", "--bigfoot-explain=x.json", "-c", "a.c"});
  expect_for_cc1(result, "-load");
  expect_for_cc1(result, "-bigfoot-explain=x.json");
  EXPECT_THAT(result, Not(Contains("--bigfoot-explain=x.json")));
}

TEST(Translate, VerifyingPlacementIsAnOptionForCc1) {
  const Strings result = translate({"--verify-placement", "-c", "a.c"});
  expect_for_cc1(result, "-bigfoot-verify-placement");
  EXPECT_THAT(result, Not(Contains("--verify-placement")));
}

TEST(Translate, DetectorThePluginIsUnaskedNeedsNoOption) {
  EXPECT_THAT(translate({"--detector=fasttrack", "-c", "a.c"}), Not(Contains("-mllvm")));
}

TEST(Translate, UninstrumentedFileStillLinksTheRunTime) {
  const Strings result = translate({"-fno-sanitize=thread", "a.c"});
  EXPECT_THAT(result, Not(Contains("-fpass-plugin=/lib/p.so")));
  EXPECT_THAT(result, Contains("/lib/rt.a"));
}

TEST(Translate, RunTimeIsWholeAndBeforeTheUsersFiles) {
  const Strings result = translate({"a.c", "-lfoo"});
  const auto runtime = position(result, "/lib/rt.a");
  EXPECT_EQ(position(result, "-Wl,--whole-archive"), runtime - 1);
  EXPECT_EQ(position(result, "-Wl,--no-whole-archive"), runtime + 1);
  EXPECT_LT(runtime, position(result, "a.c"));
  EXPECT_THAT(result, Contains("--dynamic-list=/lib/rt.syms"));
  EXPECT_THAT(result, Contains("-lpthread"));
}

TEST(Translate, RunTimeBringsItsLibrariesWhenTheUserWantsNone) {
  EXPECT_THAT(translate({"-nodefaultlibs", "a.c"}), IsSupersetOf({"/lib/rt.a", "-lgcc_s", "-lc"}));
  EXPECT_THAT(translate({"a.c"}), Not(Contains("-lc")));
}

TEST(Translate, LibrariesAreLinkedWithoutTheRunTime) {
  EXPECT_THAT(translate({"-shared", "a.c"}), Not(Contains("/lib/rt.a")));
  EXPECT_THAT(translate({"-r", "a.o"}), Not(Contains("/lib/rt.a")));
}

TEST(Translate, LastWordAllowsUndefinedSymbolsInLibrariesOnly) {
  EXPECT_EQ(translate({"-shared", "a.c", "-Wl,-z,defs"}).back(), "-Wl,-z,undefs");
  EXPECT_THAT(translate({"-shared", "a.c"}), Not(Contains("-Wl,-z,undefs")));
  EXPECT_THAT(translate({"a.c", "-Wl,-z,defs"}), Not(Contains("-Wl,-z,undefs")));
}

TEST(Translate, DebugOptionsOfTheUserComeLater) {
  const Strings result = translate({"-c", "-g0", "a.c"});
  EXPECT_LT(position(result, "-gline-tables-only"), position(result, "-g0"));
}

TEST(Translate, LtoGetsTheLinkerOfTheSameLlvm) {
  EXPECT_THAT(translate({"-flto=thin", "a.c"}), Contains("-fuse-ld=lld"));
  EXPECT_THAT(translate({"-flto", "-fuse-ld=bfd", "a.c"}), Not(Contains("-fuse-ld=lld")));
  EXPECT_THAT(translate({"a.c"}), Not(Contains("-fuse-ld=lld")));
}

// Full LTO only, and only if lld is the linker.
TEST(Translate, ChecksAreLeftToALinkerThatLoadsThePlugin) {
  const std::string at_link = "-bigfoot-at-link", load = "--load-pass-plugin=/lib/p.so";
  const Strings both = translate({"-flto", "a.c"});
  expect_for_cc1(both, at_link);
  EXPECT_THAT(both, Contains(load));
  EXPECT_THAT(translate({"-flto", "-c", "a.c"}), Contains(at_link));
  EXPECT_THAT(translate({"-flto", "-c", "a.c"}), Not(Contains(load)));
  for (const char* other : {"-flto=thin", "-fuse-ld=lld", "-O2"})
    EXPECT_THAT(translate({other, "a.c"}), Not(Contains(at_link))) << other;
  for (const char* linked : {"-flto=thin", "-fuse-ld=lld", "-r", "-shared"})
    EXPECT_THAT(translate({linked, "-fuse-ld=lld", "a.o"}), Contains(load)) << linked;
  const Strings gold = translate({"-flto", "-fuse-ld=gold", "a.c"});
  EXPECT_THAT(gold, Not(Contains(at_link)));
  EXPECT_THAT(gold, Not(Contains(load)));
  EXPECT_THAT(translate({"a.o"}), Not(Contains(load)));
}

TEST(Translate, TheLinkerIsAskedForTheSameRemarks) {
  const Strings result = translate({"-flto", "-Rpass=bigfoot", "a.o"});
  const auto at = position(result, "-pass-remarks=bigfoot");
  ASSERT_LT(at, std::ssize(result));
  const auto before = static_cast<std::size_t>(at);
  EXPECT_EQ(result[before - 1], "-Xlinker");
  EXPECT_EQ(result[before - 2], "-mllvm");
  EXPECT_EQ(result[before - 3], "-Xlinker");
  EXPECT_THAT(translate({"-Rpass=bigfoot", "a.o"}), Not(Contains("-pass-remarks=bigfoot")));
}

TEST(Translate, IgnoreListsReachCc1) {
  EXPECT_THAT(translate({"-c", "-fsanitize-ignorelist=x.txt", "a.c"}),
              Contains("-fsanitize-ignorelist=x.txt"));
}

TEST(NeededFiles, AreThoseTheCommandUses) {
  EXPECT_THAT(needed_files(parse({"--version"}), kTools), IsEmpty());
  EXPECT_THAT(needed_files(parse({"-c", "a.c"}), kTools), ElementsAre("/lib/p.so"));
  EXPECT_THAT(needed_files(parse({"-c", "-fno-sanitize=thread", "a.c"}), kTools), IsEmpty());
  EXPECT_THAT(needed_files(parse({"-shared", "a.c"}), kTools), ElementsAre("/lib/p.so"));
  EXPECT_THAT(needed_files(parse({"-shared", "-flto", "-fno-sanitize=thread", "a.o"}), kTools),
              ElementsAre("/lib/p.so"));
  EXPECT_THAT(needed_files(parse({"a.c"}), kTools),
              ElementsAre("/lib/p.so", "/lib/rt.a", "/lib/rt.syms"));
}

TEST(ToolchainOf, IsBesideTheProgramInBuildAndInstallTree) {
  const Toolchain tools = toolchain_of("/opt/bigfoot/bin/bigfoot-clang", RuntimeVariant::kRelease);
  EXPECT_EQ(tools.plugin, "/opt/bigfoot/lib/libbigfoot_pass.so");
  EXPECT_EQ(tools.runtime, "/opt/bigfoot/lib/libbigfoot_rt.a");
  EXPECT_EQ(tools.exported_symbols, "/opt/bigfoot/lib/libbigfoot_rt.syms");
  EXPECT_EQ(toolchain_of("/b/bin/x", RuntimeVariant::kChecking).runtime,
            "/b/lib/libbigfoot_rt_check.a");
}

TEST(ClangProgram, IsTheUsersChoiceIfThereIsOne) {
  EXPECT_EQ(clang_program(environment_of({{"BIGFOOT_CLANG", "/x/clang"}})), "/x/clang");
  const Variables none;
  EXPECT_EQ(clang_program(environment_of(none)), CLANG);
}

}  // namespace
}  // namespace bigfoot::driver
