#include "tools/driver/response_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/tools/temporary_folder.h"

namespace bigfoot::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitArguments, FollowsUnixQuoting) {
  EXPECT_THAT(split_arguments(""), IsEmpty());
  EXPECT_THAT(split_arguments(" \n\t "), IsEmpty());
  EXPECT_THAT(split_arguments("a  b\nc\r\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_arguments("'a b' \"c d\" ''"), ElementsAre("a b", "c d", ""));
  EXPECT_THAT(split_arguments("-DX='\"y\"' a\\ b"), ElementsAre("-DX=\"y\"", "a b"));
  EXPECT_THAT(split_arguments("open' end"), ElementsAre("open end"));
  EXPECT_THAT(split_arguments("tail\\"), ElementsAre("tail\\"));
}

TEST(QuoteArgument, IsUndoneBySplitting) {
  for (const std::string argument :
       {"", "plain", "a b", "tab\there", "\"quoted\"", "back\\slash", "it's", "@x", "\n"}) {
    EXPECT_THAT(split_arguments(quote_argument(argument)), ElementsAre(argument));
  }
}

class ResponseFile : public ::testing::Test {
 protected:
  // Writes a file and returns the argument that names it.
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return at(name);
  }
  std::string at(const std::string& name) const { return "@" + (folder_.path() / name).string(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(ResponseFile, IsReplacedByItsArguments) {
  const auto result = expand_response_files({"-c", write("r", "-O2 'a b.c'\n"), "-o", "x"});
  EXPECT_THAT(result.arguments, ElementsAre("-c", "-O2", "a b.c", "-o", "x"));
  EXPECT_TRUE(result.used_response_file);
}

TEST_F(ResponseFile, MayNameAnother) {
  const std::string inner = write("inner", "two");
  EXPECT_THAT(expand_response_files({write("outer", "one " + inner + " three")}).arguments,
              ElementsAre("one", "two", "three"));
}

TEST_F(ResponseFile, ThatNamesItselfEnds) {
  const std::string self = at("self");
  write("self", "a " + self);
  EXPECT_THAT(expand_response_files({self}).arguments, ElementsAre("a", self));
}

TEST_F(ResponseFile, MayBeUsedTwice) {
  const std::string file = write("r", "x");
  EXPECT_THAT(expand_response_files({file, file}).arguments, ElementsAre("x", "x"));
}

TEST_F(ResponseFile, ThatIsNotThereStays) {
  const auto result = expand_response_files({at("missing"), "@"});
  EXPECT_THAT(result.arguments, ElementsAre(at("missing"), "@"));
  EXPECT_FALSE(result.used_response_file);
}

}  // namespace
}  // namespace bigfoot::driver
