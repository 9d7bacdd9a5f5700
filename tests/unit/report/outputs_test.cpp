// Merging, and what the outputs say.
#include "tools/report/outputs.h"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/unit/report/sample_records.h"
#include "tools/report/advice.h"
#include "tools/report/loader.h"

namespace bigfoot::report {
namespace {
using ::testing::HasSubstr;
using testing::json;
using ::testing::Not;
using testing::race;

class Outputs : public ::testing::Test {
 protected:
  void add(const json& record, const std::string& file = "a.json") {
    collection.add(*loader.load(record), {file, 1});
  }
  void suppress(const char* lines) {
    rt::TextBuffer error;
    ASSERT_TRUE(suppressions.parse(lines, "test", error)) << view(error.text());
  }
  std::string written(void (*write)(const Collection&, const Setting&, std::ostream&)) {
    std::ostringstream out;
    write(collection, setting, out);
    return out.str();
  }

  Arena arena;
  Loader loader{arena, nullptr};
  rt::Keeper keeper;
  rt::report::Suppressions suppressions{keeper};
  Collection collection{&suppressions};
  SourceFiles sources{"/src", {}};
  Setting setting{.options = {}, .sources = sources, .color = false, .until = ""};
};

TEST_F(Outputs, TheSameFingerprintIsOneRace) {
  add(race("a", 1, 100));
  add(race("a", 1, 200), "b.json");
  add(race("a", 1, 200), "b.json");
  add(race("b", 1, 100));
  ASSERT_EQ(collection.entries().size(), 2u);
  EXPECT_EQ(collection.entries()[0].records, 3u);
  EXPECT_EQ(collection.entries()[0].runs.size(), 2u);
  EXPECT_THAT(written(write_text), HasSubstr("Found 3 times by 2 processes."));
}

TEST_F(Outputs, AFunctionThatCallsItselfSaysSo) {
  json record = race("counter", 12);
  record["accesses"][0]["stack"]["frames"][0]["recursive"] = true;
  add(record);
  EXPECT_THAT(
      written(write_text),
      HasSubstr("    #0 set(int) /src/file.cpp:12:3 (program+0x10) (recursive: further calls "
                "of this function are not kept)\n    #1 main /src/file.cpp:90:5 "));
  EXPECT_THAT(written(write_sarif), HasSubstr("\"text\": \"recursive\""));
}

TEST_F(Outputs, TextIsTheRunTimesOwn) {
  add(race("counter", 12));
  const std::string text = written(write_text);
  EXPECT_THAT(text, HasSubstr("WARNING: BigFoot: data race (pid=100)"));
  EXPECT_THAT(text, HasSubstr("  Write of size 4 at 0x1000 by thread T2:\n"
                              "    #0 set(int) /src/file.cpp:12:3 (program+0x10)\n"));
  EXPECT_THAT(text, HasSubstr("Location is global 'counter' of size 4"));
}

TEST_F(Outputs, JsonLinesCanBeReadAgain) {
  add(race("counter", 12));
  const std::string first = written(write_json_lines);
  Records records;
  std::istringstream in(first);
  read_records(in, "again", records);
  ASSERT_EQ(records.reports.size(), 1u);
  Collection again(nullptr);
  again.add(*loader.load(records.reports[0].value), {"again", 1});
  std::ostringstream second;
  write_json_lines(again, setting, second);
  EXPECT_EQ(first, second.str());
}

TEST_F(Outputs, SuppressedOnesAreLeftOutAndMarkedInSarif) {
  suppress("race:^a$\n");
  add(race("a", 1));
  add(race("b", 2));
  EXPECT_EQ(collection.visible(), 1u);
  EXPECT_THAT(written(write_text), Not(HasSubstr("'a'")));
  const json log = json::parse(written(write_sarif));
  EXPECT_TRUE(log["runs"][0]["results"][0].contains("suppressions"));
  EXPECT_FALSE(log["runs"][0]["results"][1].contains("suppressions"));
  EXPECT_EQ(suppressions.first()->hits, 1u);
}

TEST_F(Outputs, SarifNamesBothPlacesRelativeToTheRoot) {
  add(race("counter", 12));
  const json result = json::parse(written(write_sarif))["runs"][0]["results"][0];
  const json place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "file.cpp");
  EXPECT_EQ(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
  EXPECT_EQ(place["region"]["startLine"], 12);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 13);
  EXPECT_EQ(result["codeFlows"][0]["threadFlows"].size(), 2u);
  EXPECT_EQ(result["stacks"][0]["frames"].size(), 2u);
}

TEST_F(Outputs, TheFieldIsNamedWhereverARaceIs) {
  json record = race("counter", 12);
  record["accesses"][0]["field"] = "bank::Account::balance";
  add(record);
  EXPECT_THAT(written(write_text), HasSubstr("  Field is 'bank::Account::balance'.\n"));
  EXPECT_THAT(written(write_json_lines), HasSubstr("\"field\":\"bank::Account::balance\""));
  EXPECT_THAT(written(write_html), HasSubstr("\"field\":\"bank::Account::balance\""));
  EXPECT_THAT(written(write_suppressions), HasSubstr(": race_field:^bank::Account::balance$\n"));
  const json result = json::parse(written(write_sarif))["runs"][0]["results"][0];
  EXPECT_THAT(result["message"]["text"], HasSubstr(", field bank::Account::balance"));
  const json member = {{"fullyQualifiedName", "bank::Account::balance"}, {"kind", "member"}};
  EXPECT_EQ(result["locations"][0]["logicalLocations"][1], member);
  EXPECT_EQ(result["relatedLocations"][0]["logicalLocations"].size(), 1u);
}

TEST_F(Outputs, OtherPlacesOfAnAccessAreToldWhereverItIs) {
  json record = race("counter", 12);
  record["accesses"][1]["or_at"] = {"/src/a.cpp:7:2", "/src/a.cpp:9:2"};
  add(record);
  EXPECT_THAT(written(write_text), HasSubstr("    or at /src/a.cpp:7:2: one check stands for both\n"
                                             "    or at /src/a.cpp:9:2: one check stands"));
  EXPECT_THAT(written(write_json_lines),
              HasSubstr("\"or_at\":[\"/src/a.cpp:7:2\",\"/src/a.cpp:9:2\"]"));
  EXPECT_THAT(written(write_html), HasSubstr("\"orAt\":[\"/src/a.cpp:7:2\",\"/src/a.cpp:9:2\"]"));
  const json result = json::parse(written(write_sarif))["runs"][0]["results"][0];
  EXPECT_THAT(result["relatedLocations"][0]["message"]["text"],
              HasSubstr(", or at /src/a.cpp:7:2, or at /src/a.cpp:9:2"));
}

TEST_F(Outputs, EveryWriterTellsWhereItIs) {
  add(race("a", 1));
  add(race("b", 2));
  std::string told;
  setting.before_entry = [&](std::size_t number, std::size_t of) {
    told += std::to_string(number) + "/" + std::to_string(of) + " ";
  };
  for (auto* write :
       {write_text, write_json_lines, write_sarif, write_junit, write_suppressions, write_html}) {
    told.clear();
    written(write);
    EXPECT_EQ(told, "1/2 2/2 ");
  }
}

TEST_F(Outputs, SarifNamesTheModuleWhereNoSourceIsKnown) {
  json record = race("counter", 12);
  record["modules"] = {{{"id", 0}, {"path", "/bin/program"}}};
  record["accesses"][0]["stack"]["frames"] = {
      {{"module", 0}, {"offset", "0x10"}, {"pc", "0x5010"}}};
  add(record);
  const json place = json::parse(written(write_sarif))["runs"][0]["results"][0]["locations"][0];
  EXPECT_EQ(place["physicalLocation"]["artifactLocation"]["uri"], "file:///bin/program");
  EXPECT_EQ(place["physicalLocation"]["address"]["relativeAddress"], 16);
}

TEST_F(Outputs, SarifEncodesOddFileNames) {
  json record = race("counter", 12);
  record["accesses"][0]["stack"]["frames"][0]["file"] = "/src/a b#?%\u00e9.cpp";
  record["accesses"][1]["stack"]["frames"][0]["file"] = "/elsewhere/x.cpp";
  add(record);
  const json result = json::parse(written(write_sarif))["runs"][0]["results"][0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "a%20b%23%3F%25%C3%A9.cpp");
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///elsewhere/x.cpp");
}

TEST_F(Outputs, JunitEscapesWhatXmlForbids) {
  json record = race("counter", 12);
  record["accesses"][0]["stack"]["frames"][0]["function"] = "operator<(\"&\x01)";
  add(record);
  const std::string xml = written(write_junit);
  EXPECT_THAT(xml, HasSubstr("in operator&lt;(&quot;&amp;"));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\""));
}

TEST_F(Outputs, NoReportIsAPassedTest) {
  EXPECT_THAT(written(write_junit),
              HasSubstr("<testcase classname=\"BigFoot\" name=\"no races\"/>"));
  EXPECT_TRUE(json::parse(written(write_sarif))["runs"][0]["results"].empty());
}

// What is generated hides what it was generated for, in each of its widths.
TEST_F(Outputs, GeneratedSuppressionsHideTheirRace) {
  json record = race("counter", 12);
  record["accesses"][0]["field"] = "bank::Account::balance";
  record["accesses"][1]["field"] = "Buffer::bytes";
  add(record);
  const rt::report::Report& report = *collection.entries()[0].report;
  const auto lines = suppressions_for(report);
  ASSERT_EQ(lines.size(), 7u);
  for (const SuppressionLine& line : lines) {
    rt::report::Suppressions only(keeper);
    rt::TextBuffer error;
    ASSERT_TRUE(only.parse(line.line.c_str(), "test", error)) << view(error.text());
    EXPECT_NE(only.match(report), nullptr) << line.line;
  }
  const std::string file = written(write_suppressions);
  EXPECT_THAT(file, HasSubstr("\nfingerprint:" + fingerprint_text(report) + "\n"));
  suppress(file.c_str());
  EXPECT_EQ(suppressions.count(), 1u);  // the wider ones are comments
}

TEST(SourceFilesTest, NamesAndColumns) {
  SourceFiles sources("/repo", {{"/build/src", "/repo/source"}});
  EXPECT_EQ(sources.display_name("/build/src/a.cpp"), "source/a.cpp");
  EXPECT_EQ(sources.display_name("b/../c.cpp"), "c.cpp");
  EXPECT_EQ(sources.display_name("/repository/c.cpp"), "/repository/c.cpp");
  EXPECT_EQ(sources.lines("/no/such/file"), nullptr);
  EXPECT_EQ(sources.utf16_column("/no/such/file", 1, 9), 9u);
}

}  // namespace
}  // namespace bigfoot::report
