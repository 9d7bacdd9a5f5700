#include "tools/driver/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/parse_helper.h"

namespace bigfoot::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ModeOfProgram, IsCxxForNamesThatEndInPlusPlus) {
  EXPECT_EQ(mode_of_program("/opt/bin/bigfoot-clang++"), Mode::kCxx);
  EXPECT_EQ(mode_of_program("c++"), Mode::kCxx);
  EXPECT_EQ(mode_of_program("bigfoot-clang"), Mode::kC);
  EXPECT_EQ(mode_of_program("/usr/lib/c++/cc"), Mode::kC);
}

struct ProductCase {
  Strings arguments;
  Product product;
};

class ProductOf : public ::testing::TestWithParam<ProductCase> {};

TEST_P(ProductOf, Command) {
  EXPECT_EQ(parse(GetParam().arguments).product, GetParam().product);
}

INSTANTIATE_TEST_SUITE_P(Executable, ProductOf,
                         ::testing::ValuesIn(std::vector<ProductCase>{
                             {{"a.c"}, Product::kExecutable},
                             {{"a.o", "-o", "prog"}, Product::kExecutable},
                             {{"-MD", "-MF", "a.d", "a.c"}, Product::kExecutable},
                             {{"-x", "c", "-"}, Product::kExecutable},
                             {{"-lfoo"}, Product::kExecutable},
                             {{"-l", "foo"}, Product::kExecutable},
                             {{"a.h", "a.c"}, Product::kExecutable},
                             {{"-xc", "a.h"}, Product::kExecutable},
                             {{"-###", "a.c"}, Product::kExecutable},
                             {{"-rdynamic", "a.c"}, Product::kExecutable},
                             {{"-Wl,-rpath,/x", "a.c"}, Product::kExecutable},
                         }));
INSTANTIATE_TEST_SUITE_P(NoLink, ProductOf,
                         ::testing::ValuesIn(std::vector<ProductCase>{
                             {{"-c", "a.c"}, Product::kIntermediate},
                             {{"a.c", "-S"}, Product::kIntermediate},
                             {{"-E", "-"}, Product::kIntermediate},
                             {{"-M", "a.c"}, Product::kIntermediate},
                             {{"-MM", "a.c"}, Product::kIntermediate},
                             {{"-fsyntax-only", "a.c"}, Product::kIntermediate},
                             {{"--analyze", "a.c"}, Product::kIntermediate},
                             {{"--precompile", "a.cppm"}, Product::kIntermediate},
                             {{"-x", "c++-header", "all"}, Product::kIntermediate},
                             {{"all.hpp", "-o", "all.pch"}, Product::kIntermediate},
                             {{"-shared", "-c", "a.c"}, Product::kIntermediate},
                         }));
INSTANTIATE_TEST_SUITE_P(Library, ProductOf,
                         ::testing::ValuesIn(std::vector<ProductCase>{
                             {{"-shared", "a.o"}, Product::kSharedLibrary},
                             {{"-Wl,-shared", "a.o"}, Product::kSharedLibrary},
                             {{"-Xlinker", "-shared", "a.o"}, Product::kSharedLibrary},
                             {{"-r", "a.o", "b.o"}, Product::kRelocatable},
                             {{"-Wl,-r", "a.o"}, Product::kRelocatable},
                         }));
INSTANTIATE_TEST_SUITE_P(Nothing, ProductOf,
                         ::testing::ValuesIn(std::vector<ProductCase>{
                             {{}, Product::kNothing},
                             {{"-v"}, Product::kNothing},
                             {{"--version"}, Product::kNothing},
                             {{"a.c", "--help"}, Product::kNothing},
                             {{"-print-search-dirs"}, Product::kNothing},
                             {{"--print-file-name=libc.a"}, Product::kNothing},
                             {{"-dumpmachine"}, Product::kNothing},
                             {{"-Wl,--version"}, Product::kNothing},
                             {{"-o", "prog", "-I", "include"}, Product::kNothing},
                         }));

TEST(CommandLine, PassesArgumentsOnUnchanged) {
  const Strings arguments = {"-O2", "-I", "inc", "-DX=\"y z\"", "-Wl,--as-needed",
                             "a.c", "-o", "prog"};
  EXPECT_EQ(parse(arguments).for_clang, arguments);
}

TEST(CommandLine, LeavesCommandsForClangsPartsAlone) {
  const Strings arguments = {"-cc1", "-fsanitize=thread", "a.c"};
  const CommandLine command = parse(arguments);
  EXPECT_EQ(command.for_clang, arguments);
  EXPECT_EQ(command.product, Product::kNothing);
}

TEST(CommandLine, TellsInputsFromValuesOfOptions) {
  const CommandLine command =
      parse({"-o", "out", "-x", "c", "one", "-include", "pre.h", "-xnone", "two.cpp"});
  ASSERT_EQ(command.inputs.size(), 2u);
  EXPECT_EQ(command.inputs[0].path, "one");
  EXPECT_EQ(command.inputs[0].language, "c");
  EXPECT_EQ(command.inputs[0].position, 4u);
  EXPECT_EQ(command.inputs[1].path, "two.cpp");
  EXPECT_EQ(command.inputs[1].language, "");
  EXPECT_EQ(command.inputs[1].position, 8u);
}

TEST(CommandLine, SurvivesAnOptionWithoutItsValue) {
  EXPECT_THAT(parse({"a.c", "-o"}).for_clang, ElementsAre("a.c", "-o"));
  EXPECT_THAT(parse({"a.c", "-x"}).for_clang, ElementsAre("a.c", "-x"));
}

TEST(Detector, IsBigFootByDefault) {
  EXPECT_EQ(parse({"a.c"}).detector, "bigfoot");
}

TEST(Detector, OptionIsTakenOutAndWinsOverTheEnvironment) {
  const CommandLine command =
      parse({"--detector=fasttrack", "a.c"}, {{"BIGFOOT_DETECTOR", "nonsense"}});
  EXPECT_EQ(command.detector, "fasttrack");
  EXPECT_THAT(command.for_clang, ElementsAre("a.c"));
}

TEST(Detector, EmptyVariableCountsAsUnset) {
  EXPECT_EQ(parse({"a.c"}, {{"BIGFOOT_DETECTOR", ""}}).detector, "bigfoot");
}

TEST(Detector, UnknownOneIsRefusedWithTheListOfWhatThereIs) {
  EXPECT_EQ(refusal_of({"--detector=fastrack", "a.c"}),
            "'--detector=fastrack': no such detector; available: fasttrack, redcard, slimstate, "
            "slimcard, bigfoot");
  EXPECT_THAT(refusal_of({"a.c"}, {{"BIGFOOT_DETECTOR", "x"}}), HasSubstr("'BIGFOOT_DETECTOR=x'"));
}

TEST(Detector, NoNameIsNotTheDefault) {
  EXPECT_THAT(refusal_of({"--detector=", "a.c"}), HasSubstr("'--detector=': no such detector"));
}

TEST(Detector, ValueIsPartOfTheOption) {
  EXPECT_THAT(refusal_of({"--detector", "fasttrack", "a.c"}), HasSubstr("--detector=NAME"));
}

TEST(Runtime, CheckingVariantIsChosenByName) {
  EXPECT_EQ(parse({"a.c"}).runtime, RuntimeVariant::kRelease);
  EXPECT_EQ(parse({"--bigfoot-rt=check", "a.c"}).runtime, RuntimeVariant::kChecking);
  EXPECT_THAT(refusal_of({"--bigfoot-rt=debug", "a.c"}), HasSubstr("release, check"));
  EXPECT_THAT(refusal_of({"--bigfoot-tr=check", "a.c"}), HasSubstr("unknown option"));
}

TEST(Sanitizers, ThreadIsReplacedByUs) {
  const CommandLine command = parse({"-fsanitize=thread", "a.c"});
  EXPECT_TRUE(command.instrument);
  EXPECT_THAT(command.for_clang, ElementsAre("a.c"));
}

TEST(Sanitizers, OthersOfTheSameListStay) {
  EXPECT_THAT(parse({"-fsanitize=undefined,thread,cfi", "a.c"}).for_clang,
              ElementsAre("-fsanitize=undefined,cfi", "a.c"));
}

TEST(Sanitizers, LastWordOnThreadDecides) {
  EXPECT_FALSE(parse({"-fsanitize=thread", "-fno-sanitize=thread", "a.c"}).instrument);
  EXPECT_FALSE(parse({"-fno-sanitize=all", "a.c"}).instrument);
  EXPECT_TRUE(parse({"-fno-sanitize=thread", "-fsanitize=thread", "a.c"}).instrument);
}

TEST(Sanitizers, ThoseThatShadowMemoryAreRefused) {
  EXPECT_THAT(refusal_of({"-fsanitize=address", "a.c"}), HasSubstr("-fsanitize=address"));
  EXPECT_THAT(refusal_of({"-c", "-fsanitize=undefined,memory", "a.c"}),
              HasSubstr("-fsanitize=memory"));
}

TEST(Sanitizers, ThoseSwitchedOffAgainAreNot) {
  EXPECT_EQ(refusal_of({"-fsanitize=address", "-fno-sanitize=address", "a.c"}), "");
  EXPECT_EQ(refusal_of({"-fsanitize=leak", "-fno-sanitize=all", "a.c"}), "");
}

TEST(Sanitizers, IgnoreListsAreKeptForCc1) {
  const CommandLine command =
      parse({"-fsanitize-ignorelist=a.txt", "-fsanitize-ignorelist=b.txt", "a.c"});
  EXPECT_THAT(command.ignore_lists, ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(command.for_clang, ElementsAre("a.c"));
  EXPECT_THAT(
      parse({"-fsanitize-ignorelist=a.txt", "-fno-sanitize-ignorelist", "a.c"}).ignore_lists,
      IsEmpty());
}

TEST(Sanitizers, BackendStepOfDistributedThinLtoIsNotInstrumentedAgain) {
  EXPECT_FALSE(parse({"-c", "-x", "ir", "a.o", "-fthinlto-index=a.o.thinlto.bc"}).instrument);
}

TEST(Static, ExecutablesAreRefused) {
  EXPECT_THAT(refusal_of({"-static", "a.c"}), HasSubstr("'-static'"));
  EXPECT_THAT(refusal_of({"-static-pie", "a.c"}), HasSubstr("'-static-pie'"));
}

TEST(Static, CompilingAndStaticCompilerLibrariesAreFine) {
  EXPECT_EQ(refusal_of({"-static", "-c", "a.c"}), "");
  EXPECT_EQ(refusal_of({"-static-libgcc", "-static-libstdc++", "a.c"}), "");
  EXPECT_EQ(refusal_of({"-static", "--version"}), "");
}

TEST(Static, TheLinkersLastWordOnLibrariesCounts) {
  EXPECT_THAT(refusal_of({"-Wl,-static", "a.c"}), HasSubstr("'-Wl,-static'"));
  EXPECT_THAT(refusal_of({"a.c", "-Xlinker", "-Bstatic", "-lz"}), HasSubstr("static"));
  EXPECT_EQ(refusal_of({"a.c", "-Wl,-Bstatic", "-lz", "-Wl,-Bdynamic"}), "");
  EXPECT_EQ(refusal_of({"-shared", "a.c", "-Wl,-Bstatic", "-lz"}), "");
}

TEST(StartFiles, ExecutablesNeedThem) {
  EXPECT_THAT(refusal_of({"-nostdlib", "a.c", "-lc"}), HasSubstr("'-nostdlib'"));
  EXPECT_THAT(refusal_of({"-nostartfiles", "a.c"}), HasSubstr("'-nostartfiles'"));
  EXPECT_EQ(refusal_of({"-nostdlib", "/usr/lib/x86_64-linux-gnu/Scrt1.o", "a.c", "-lc"}), "");
  EXPECT_EQ(refusal_of({"-nostdlib", "-shared", "a.c"}), "");
  EXPECT_EQ(refusal_of({"-nostdlib", "-c", "a.c"}), "");
}

TEST(Target, OnlyOneHasARunTime) {
  EXPECT_THAT(refusal_of({"-m32", "a.c"}), HasSubstr("x86_64 Linux only"));
  EXPECT_THAT(refusal_of({"--target=aarch64-linux-gnu", "-c", "a.c"}),
              HasSubstr("aarch64-linux-gnu"));
  EXPECT_THAT(refusal_of({"-target", "x86_64-apple-darwin", "-c", "a.c"}), HasSubstr("apple"));
  EXPECT_EQ(refusal_of({"--target=x86_64-pc-linux-gnu", "a.c"}), "");
  EXPECT_EQ(refusal_of({"-m32", "-m64", "a.c"}), "");
  EXPECT_EQ(refusal_of({"-m32", "-print-multi-lib"}), "");
}

TEST(Linking, LtoIsSeen) {
  EXPECT_EQ(parse({"-flto", "a.c"}).link_time, LinkTime::kFull);
  EXPECT_EQ(parse({"-flto=auto", "a.c"}).link_time, LinkTime::kFull);
  EXPECT_EQ(parse({"-flto=thin", "a.c"}).link_time, LinkTime::kThin);
  EXPECT_EQ(parse({"-flto=thin", "-flto=full", "a.c"}).link_time, LinkTime::kFull);
  EXPECT_EQ(parse({"-flto", "-fno-lto", "a.c"}).link_time, LinkTime::kNothing);
  EXPECT_EQ(parse({"-flto-visibility-public-std", "a.c"}).link_time, LinkTime::kNothing);
}

TEST(Linking, ChoiceOfLinkerIsSeen) {
  EXPECT_EQ(parse({"a.c"}).linker, "");
  EXPECT_EQ(parse({"-fuse-ld=mold", "a.c"}).linker, "mold");
  EXPECT_EQ(parse({"--ld-path=/usr/bin/ld", "a.c"}).linker, "/usr/bin/ld");
}

TEST(Linking, LldIsKnownByName) {
  for (const char* lld : {"-fuse-ld=lld", "-fuse-ld=lld-22", "-fuse-ld=/usr/bin/ld.lld",
                          "--ld-path=/usr/lib/llvm-22/bin/ld.lld", "-flto", "-flto=thin"})
    EXPECT_TRUE(links_with_lld(parse({lld, "a.c"}))) << lld;
  for (const char* other : {"-fuse-ld=bfd", "-fuse-ld=mold", "--ld-path=/opt/lld/ld", "-O2"})
    EXPECT_FALSE(links_with_lld(parse({other, "a.c"}))) << other;
  EXPECT_FALSE(links_with_lld(parse({"-flto", "-fuse-ld=gold", "a.c"})));
}

TEST(Linking, RemarksAreNamedAsLlvmNamesThem) {
  EXPECT_THAT(
      parse({"-Rpass=big.*", "-Rpass-missed=bigfoot", "-Rpass-analysis=x", "-Rno-pass", "a.c"})
          .remarks,
      ElementsAre("-pass-remarks=big.*", "-pass-remarks-missed=bigfoot",
                  "-pass-remarks-analysis=x"));
}

TEST(Linking, EverySpellingOfNoUndefinedIsSeen) {
  for (const Strings& spelling : std::vector<Strings>{{"-Wl,-z,defs"},
                                                      {"-Wl,-O1,-z,defs,--as-needed"},
                                                      {"-Wl,-z", "-Wl,defs"},
                                                      {"-Xlinker", "-z", "-Xlinker", "defs"},
                                                      {"-z", "defs"},
                                                      {"-zdefs"},
                                                      {"-Wl,--no-undefined"},
                                                      {"-Wl,-no-undefined"},
                                                      {"-Xlinker", "--no-undefined"}}) {
    Strings arguments = spelling;
    arguments.insert(arguments.end(), {"-shared", "a.o"});
    EXPECT_TRUE(parse(arguments).forbids_undefined) << spelling.front();
  }
  EXPECT_FALSE(parse({"-shared", "a.o", "-Wl,-z,now", "-z", "relro"}).forbids_undefined);
}

TEST(Linking, NoStandardLibrariesIsSeen) {
  EXPECT_FALSE(parse({"-nostdlib", "crt1.o", "a.c"}).default_libraries);
  EXPECT_FALSE(parse({"-nolibc", "a.c"}).default_libraries);
  EXPECT_FALSE(parse({"-nodefaultlibs", "a.c"}).default_libraries);
  EXPECT_TRUE(parse({"-nostdinc", "a.c"}).default_libraries);
}

}  // namespace
}  // namespace bigfoot::driver
