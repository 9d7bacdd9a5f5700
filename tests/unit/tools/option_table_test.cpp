// The table is compared with the clang the driver runs, which knows best.
#include "tools/driver/option_table.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <string>

#include "tests/unit/tools/temporary_folder.h"

namespace bigfoot::driver {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  char block[4096];
  while (const std::size_t size = fread(block, 1, sizeof block, pipe)) text.append(block, size);
  pclose(pipe);
  return text;
}

TEST(OptionTable, KnowsEveryOptionOfClangsHelpThatTakesASeparateValue) {
  const std::string help = output_of(CLANG " --help-hidden");
  const std::regex separate("\n  (-[^ \n<]+) <");
  int found = 0;
  for (auto match = std::sregex_iterator(help.begin(), help.end(), separate);
       match != std::sregex_iterator(); ++match, ++found) {
    EXPECT_TRUE(takes_next_argument((*match)[1].str())) << (*match)[1].str();
  }
  EXPECT_GT(found, 50) << "the help text has changed its shape";
}

TEST(OptionTable, ClangTakesTheValueOfEveryEntryForAValue) {
  // Some options name files that clang writes even under -###.
  const TemporaryFolder folder;
  for (const std::string_view option : separate_value_options()) {
    const std::string output = output_of("cd " + folder.path().string() + " && " +
                                         std::string(CLANG " -### -c /dev/null ") +
                                         std::string(option) + " no-such-value");
    EXPECT_EQ(output.find("no such file or directory: 'no-such-value'"), std::string::npos)
        << option;
  }
}

TEST(OptionTable, JoinedSpellingsAreComplete) {
  EXPECT_TRUE(takes_next_argument("-o"));
  EXPECT_FALSE(takes_next_argument("-oprog"));
  EXPECT_FALSE(takes_next_argument("-std=c++20"));
  EXPECT_FALSE(takes_next_argument("-c"));
  EXPECT_TRUE(takes_next_argument("-Xarch_x86_64"));
}

}  // namespace
}  // namespace bigfoot::driver
