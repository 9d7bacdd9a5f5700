#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/explain/sample_record.h"
#include "tools/explain/record.h"

namespace bigfoot::explain {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string complaint(const std::string& text) {
  const auto result = parse_record(text);
  const auto* wrong = std::get_if<Unreadable>(&result);
  return wrong == nullptr ? "read without complaint" : wrong->message;
}

TEST(ExplainRecord, ReadsEveryField) {
  const auto result = parse_record(sample_record().dump());
  ASSERT_TRUE(std::holds_alternative<Record>(result)) << complaint(sample_record().dump());
  const Record& r = std::get<Record>(result);
  EXPECT_EQ(r.source_path(), "/src/a.c");
  EXPECT_EQ(r.files[0], "/src/a.c");
  EXPECT_EQ(r.files[1], "/usr/include/b.h");
  const Function& f = r.functions.at(0);
  EXPECT_EQ(f.accesses.at(0).position.at(1).line, 3U);
  EXPECT_EQ(f.accesses.at(1).bytes, 1U);
  EXPECT_THAT(f.accesses.at(1).relies_on, ::testing::ElementsAre(0));
  EXPECT_EQ(f.checks.at(0).covers.at(0).left_loops.at(0).line, 2U);
}

TEST(ExplainRecord, RefusesWhatItWasNotMadeFor) {
  EXPECT_EQ(complaint(R"({"format": "sarif"})"), "not a record of --bigfoot-explain");
  EXPECT_EQ(complaint("[1]"), "not a record of --bigfoot-explain");
  json newer = sample_record();
  newer["version"] = 2;
  EXPECT_THAT(complaint(newer.dump()), HasSubstr("version 2"));
}

TEST(ExplainRecord, EveryPrefixIsRefused) {
  const std::string text = sample_record().dump();
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_EQ(complaint(text.substr(0, n)), "not JSON, or cut short") << n;
}

TEST(ExplainRecord, IndexesBeyondTheirListsAreRefused) {
  for (const char* pointer :
       {"/functions/0/file", "/functions/0/accesses/0/position/0/file",
        "/functions/0/accesses/0/checks/0", "/functions/0/accesses/1/relies_on/0",
        "/functions/0/checks/0/covers/0/access",
        "/functions/0/checks/0/covers/0/left_loops/0/file"}) {
    for (const json& wrong : {json(2), json(-1), json("0")}) {
      json record = sample_record();
      record[json::json_pointer(pointer)] = wrong;
      EXPECT_THAT(complaint(record.dump()), HasSubstr("not as docs/explain-format.md says"))
          << pointer << " " << wrong;
    }
  }
}

}  // namespace
}  // namespace bigfoot::explain
