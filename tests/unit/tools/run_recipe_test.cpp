#include "tools/bigfoot/run_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/parse_helper.h"

namespace bigfoot::tool {
namespace {

using driver::Mode;
using driver::Strings;
using driver::Variables;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunRecipe recipe_of(const Strings& arguments) {
  const Variables none;
  auto result = make_recipe(arguments, driver::environment_of(none));
  if (const auto* refusal = std::get_if<driver::Refusal>(&result)) {
    ADD_FAILURE() << refusal->message;
    return {};
  }
  return std::get<RunRecipe>(result);
}

std::string refusal(const Strings& arguments) {
  const Variables none;
  auto result = make_recipe(arguments, driver::environment_of(none));
  const auto* reason = std::get_if<driver::Refusal>(&result);
  return reason == nullptr ? "" : reason->message;
}

std::string key_of(const Strings& arguments, const std::string& folder = "/here",
                   const Variables& variables = {}) {
  return recipe_key(recipe_of(arguments), folder, driver::environment_of(variables));
}

TEST(MakeRecipe, PutsDefaultsBeforeTheUsersOptions) {
  const RunRecipe recipe = recipe_of({"bank.cpp", "-O3"});
  EXPECT_THAT(recipe.compiler_arguments, ElementsAre("-g", "-pthread", "bank.cpp", "-O3"));
  EXPECT_THAT(recipe.inputs, ElementsAre("bank.cpp"));
  EXPECT_EQ(recipe.program_name, "bank");
}

TEST(MakeRecipe, ChoosesTheDriverByTheFiles) {
  EXPECT_EQ(recipe_of({"a.c", "b.c"}).mode, Mode::kC);
  EXPECT_EQ(recipe_of({"a.c", "b.cc"}).mode, Mode::kCxx);
  EXPECT_EQ(recipe_of({"a.o"}).mode, Mode::kCxx);
  EXPECT_EQ(recipe_of({"-x", "c", "a.inc"}).mode, Mode::kC);
}

TEST(MakeRecipe, CompilesCFilesAsCBesideCxxOnes) {
  EXPECT_THAT(recipe_of({"a.c", "b.cpp"}).compiler_arguments,
              ElementsAre("-g", "-pthread", "-x", "c", "a.c", "-x", "none", "b.cpp"));
  // Nothing after the last input: clang warns about a language that applies to no file.
  EXPECT_THAT(recipe_of({"b.cpp", "-include", "a.c", "a.c"}).compiler_arguments,
              ElementsAre("-g", "-pthread", "b.cpp", "-include", "a.c", "-x", "c", "a.c"));
}

TEST(MakeRecipe, RefusesWhatMakesNoProgram) {
  EXPECT_THAT(refusal({}), HasSubstr("no file"));
  EXPECT_THAT(refusal({"-c", "a.c"}), HasSubstr("no program"));
  EXPECT_THAT(refusal({"-shared", "a.c"}), HasSubstr("no program"));
  EXPECT_THAT(refusal({"a.c", "-o", "x"}), HasSubstr("'-o'"));
  EXPECT_THAT(refusal({"-x", "c", "-"}), HasSubstr("standard input"));
  EXPECT_THAT(refusal({"--detector=nonsense", "a.c"}), HasSubstr("nonsense"));
}

TEST(RecipeKey, DiffersWithEverythingThatChangesTheProgram) {
  const std::string key = key_of({"a.c"});
  EXPECT_EQ(key, key_of({"a.c"}));
  EXPECT_NE(key, key_of({"b.c"}));
  EXPECT_NE(key, key_of({"a.c", "-O2"}));
  EXPECT_NE(key, key_of({"a.c"}, "/elsewhere"));
  EXPECT_NE(key, key_of({"a.c"}, "/here", {{"CPATH", "/inc"}}));
  EXPECT_NE(key_of({"a.c"}, "/here", {{"CPATH", ""}}), key);
  EXPECT_NE(key_of({"-DA", "B.c"}), key_of({"-DAB", ".c"}));
}

}  // namespace
}  // namespace bigfoot::tool
