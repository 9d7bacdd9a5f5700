#include "tools/explain/text_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/explain/sample_record.h"

namespace bigfoot::explain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kLines = {
    "void f(long* a, long n) {", "  for (long i = 0; i < n; ++i)", "    a[i] = 0;", "  *a;", "}"};

std::string page_of(const nlohmann::json& record) {
  return text_page(std::get<Record>(parse_record(record.dump())), kLines);
}

TEST(ExplainText, ChecksStandAboveTheLineTheyComeBefore) {
  const std::string page = page_of(sample_record());
  EXPECT_THAT(page, HasSubstr("       | CHECK 1: write a[0 .. 8*n], for 3:5; not later because "
                              "the function ends\n"
                              "     5 | }\n"));
}

TEST(ExplainText, AccessesStandBelowTheirLineAlsoWhenInlined) {
  const std::string page = page_of(sample_record());
  EXPECT_THAT(page, HasSubstr("     3 |     a[i] = 0;\n"
                              "       |     ^ write of 8 bytes: check 1, later, once for the loop "
                              "at line 2\n"));
  EXPECT_THAT(page,
              HasSubstr("     4 |   *a;\n"
                        "       |   ^ read of 1 byte: no check, the access at 3:5 brings it\n"));
}

TEST(ExplainText, MarksStandBelowTheirCharacterAlsoAfterTabsAndLettersOfSeveralBytes) {
  nlohmann::json record = sample_record();
  record["functions"][0]["accesses"][1]["position"][0]["column"] = 10;  // of the star, in bytes
  std::vector<std::string> lines = kLines;
  lines[3] = "\t\u00fc\u20ac =\t*a;";
  EXPECT_THAT(text_page(std::get<Record>(parse_record(record.dump())), lines),
              HasSubstr("     4 | \t\u00fc\u20ac =\t*a;\n"
                        "       | \t    \t^ read of 1 byte"));
}

TEST(ExplainText, CountsForEachFunctionAndWhatHeldChecksBack) {
  const std::string page = page_of(sample_record());
  EXPECT_THAT(page, HasSubstr("a.c: 2 accesses, 1 check (bigfoot)\n"));
  EXPECT_THAT(page, HasSubstr("         2                1       1  f\n"));
  EXPECT_THAT(page, HasSubstr("       1  the function ends\n"));
  EXPECT_THAT(page, Not(HasSubstr("other files")));
}

TEST(ExplainText, WhatHasNoLineHereIsCounted) {
  nlohmann::json record = sample_record();
  record["functions"][0]["accesses"][0]["position"].erase(1);  // in the header alone
  record["functions"][0]["accesses"][1]["position"] = nlohmann::json::array();
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("(2 of these are in code of other files"));
  EXPECT_THAT(page, HasSubstr("for b.h:90:9"));
}

TEST(ExplainText, EqualNotesOfOnePlaceAreCounted) {
  nlohmann::json record = sample_record();
  auto& accesses = record["functions"][0]["accesses"];
  accesses.push_back(accesses[1]);
  EXPECT_THAT(page_of(record), HasSubstr("the access at 3:5 brings it (2 times)\n"));
}

}  // namespace
}  // namespace bigfoot::explain
