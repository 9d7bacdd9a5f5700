#include "tools/bigfoot/program_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "tests/unit/tools/temporary_folder.h"

namespace bigfoot::tool {
namespace {

namespace fs = std::filesystem;

TEST(ContentHash, AgreesWithThePublishedAlgorithm) {
  // FNV-1a (64 bits) of "1:a", computed by the definition: xor the byte, multiply by the prime.
  std::uint64_t expected = 0xcbf29ce484222325;
  for (const unsigned char byte : {'1', ':', 'a'}) expected = (expected ^ byte) * 1099511628211u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(expected));
  ContentHash hash;
  hash.add("a");
  EXPECT_EQ(hash.hex(), text);
}

TEST(ContentHash, KeepsFieldsApart) {
  ContentHash one, two;
  one.add("ab");
  one.add("c");
  two.add("a");
  two.add("bc");
  EXPECT_NE(one.hex(), two.hex());
}

class Cache : public ::testing::Test {
 protected:
  void SetUp() override { write(source(), "int x;"); }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  fs::path source() const { return folder_.path() / "a.c"; }
  ProgramCache cache() const { return ProgramCache(folder_.path() / "cache"); }

  // Stands for a compile: a program with the given text, made from a.c.
  fs::path store(const std::string& text) const {
    const fs::path scratch = cache().new_folder();
    write(scratch / "prog", text);
    chmod((scratch / "prog").c_str(), 0755);
    return cache().store("recipe", "prog", {source()}, scratch);
  }
  static std::string text_of(const fs::path& path) {
    std::string line;
    std::getline(std::ifstream(path) >> std::ws, line);
    return line;
  }

  TemporaryFolder folder_;
};

TEST_F(Cache, IsEmptyAtFirst) {
  EXPECT_FALSE(cache().find("recipe", "prog"));
}

TEST_F(Cache, FindsWhatWasStored) {
  const fs::path stored = store("one");
  const auto found = cache().find("recipe", "prog");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, stored);
  EXPECT_EQ(text_of(*found), "one");
  EXPECT_FALSE(cache().find("another recipe", "prog"));
}

TEST_F(Cache, DoesNotFindAProgramWhoseSourceHasChanged) {
  store("one");
  write(source(), "int y;");
  EXPECT_FALSE(cache().find("recipe", "prog"));
  store("two");
  EXPECT_EQ(text_of(*cache().find("recipe", "prog")), "two");
}

TEST_F(Cache, FindsTheOldProgramWhenTheChangeIsUndone) {
  store("one");
  write(source(), "int y;");
  store("two");
  write(source(), "int x;");
  const auto found = cache().find("recipe", "prog");
  ASSERT_TRUE(found);
  EXPECT_EQ(text_of(*found), "one");
}

TEST_F(Cache, DoesNotFindAProgramWhoseSourceIsGone) {
  store("one");
  fs::remove(source());
  EXPECT_FALSE(cache().find("recipe", "prog"));
}

TEST_F(Cache, KeepsTheFirstOfTwoEqualProgramsAndNothingElse) {
  const fs::path first = store("first");
  EXPECT_EQ(store("second"), first);
  EXPECT_EQ(text_of(first), "first");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path() / "cache")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with("new-")) << entry.path();
  }
}

TEST_F(Cache, ForgetsOnlyWhatIsOld) {
  const fs::path program = store("one");
  cache().forget_older_than(30);
  EXPECT_TRUE(cache().find("recipe", "prog"));
  fs::last_write_time(program.parent_path(),
                      fs::file_time_type::clock::now() - std::chrono::days(31));
  cache().forget_older_than(30);
  EXPECT_FALSE(cache().find("recipe", "prog"));
}

TEST_F(Cache, UseMakesAnEntryYoungAgain) {
  const fs::path program = store("one");
  fs::last_write_time(program.parent_path(),
                      fs::file_time_type::clock::now() - std::chrono::days(31));
  EXPECT_TRUE(cache().find("recipe", "prog"));
  cache().forget_older_than(30);
  EXPECT_TRUE(cache().find("recipe", "prog"));
}

TEST_F(Cache, SaysWhyItCanNotStore) {
  write(folder_.path() / "file", "");
  EXPECT_THROW(ProgramCache(folder_.path() / "file" / "cache").new_folder(), fs::filesystem_error);
}

}  // namespace
}  // namespace bigfoot::tool
