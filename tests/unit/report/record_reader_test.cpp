// Whatever a file holds, good records are kept and each bad one is named.
#include "tools/report/record_reader.h"

#include <gmock/gmock.h>

#include <random>
#include <sstream>

#include "tests/unit/report/sample_records.h"
#include "tools/report/loader.h"

namespace bigfoot::report {
namespace {
using testing::end_record;
using ::testing::HasSubstr;
using testing::race;
using ::testing::SizeIs;

Records read(const std::string& text) {
  Records records;
  std::istringstream in(text);
  read_records(in, "races.json", records);
  return records;
}

std::string only_problem(const std::string& text) {
  const Records records = read(text);
  EXPECT_THAT(records.problems, SizeIs(1));
  return records.problems.empty() ? "" : to_string(records.problems.front());
}

TEST(RecordReader, SortsRecordsByTheirType) {
  const Records records = read(race("a", 1).dump() + "\n\n" + race("b", 2).dump() + "\r\n" +
                               end_record().dump() + "\n");
  EXPECT_THAT(records.reports, SizeIs(2));
  EXPECT_THAT(records.ends, SizeIs(1));
  EXPECT_THAT(records.problems, SizeIs(0));
  EXPECT_EQ(records.reports[1].place.line, 3u);
}

// A process that is killed while it writes leaves the beginning of a record.
TEST(RecordReader, EveryPrefixKeepsTheWholeRecordsInIt) {
  const std::string first = race("a", 1).dump() + "\n";
  const std::string whole = first + race("b", 2).dump() + "\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Records records = read(whole.substr(0, size));
    const std::size_t complete =
        (size + 1 >= first.size() ? 1u : 0u) + (size + 1 >= whole.size() ? 1u : 0u);
    const bool cut =
        size != 0 && size + 1 != first.size() && size != first.size() && size + 1 < whole.size();
    ASSERT_EQ(records.reports.size(), complete) << size;
    ASSERT_EQ(records.problems.size(), cut ? 1u : 0u) << size;
    if (cut) ASSERT_THAT(records.problems[0].what, HasSubstr("cut short")) << size;
  }
}

// ... and what the next one writes to the file then follows in the same line.
TEST(RecordReader, RecordsAfterOneThatIsCutShort) {
  // The run time writes the schema first.
  const auto line = [](const char* name, int number) {
    auto rest = race(name, number);
    rest.erase("schema");
    return R"({"schema":"bigfoot-report",)" + rest.dump().substr(1);
  };
  for (std::size_t size = 1; size < line("a", 1).size(); ++size) {
    const Records records = read(line("a", 1).substr(0, size) + line("b", 2) + line("c", 3) + "\n");
    ASSERT_EQ(records.reports.size(), 2u) << size;
    ASSERT_EQ(records.problems.size(), 1u) << size;
  }
  EXPECT_THAT(read("\xef\xbb\xbf" + line("a", 1)).problems, SizeIs(0));
}

TEST(RecordReader, AnotherKindOfFileIsOneProblem) {
  EXPECT_EQ(
      only_problem("a log\nof some\nprogram\n"),
      "races.json:1: not JSON at column 1: 'a log'; no line of the file is a record of BigFoot");
  // Records of another version are named one by one: the file is a report.
  const std::string newer = R"({"schema":"bigfoot-report","version":99,"type":"race"})";
  EXPECT_THAT(read(newer + "\n" + newer + "\n").problems, SizeIs(2));
}

TEST(RecordReader, GarbageBetweenGoodRecords) {
  const Records records =
      read(race("a", 1).dump() + "\n\x01\xff garbage\n[1,2]\n{}\n" + race("b", 2).dump() + "\n");
  EXPECT_THAT(records.reports, SizeIs(2));
  ASSERT_THAT(records.problems, SizeIs(3));
  EXPECT_EQ(to_string(records.problems[1]), "races.json:3: not a JSON object");
  EXPECT_THAT(to_string(records.problems[2]), HasSubstr("not a record of BigFoot"));
}

TEST(RecordReader, OtherVersionsAreRefusedAndTheRestIsRead) {
  auto newer = race("a", 1), older = race("b", 2), none = race("c", 3), text = race("d", 4);
  newer["version"] = kNewestVersion + 1;
  older["version"] = 0;
  none.erase("version");
  text["version"] = "1";
  const Records records = read(newer.dump() + "\n" + race("e", 5).dump() + "\n" + older.dump() +
                               "\n" + none.dump() + "\n" + text.dump() + "\n");
  EXPECT_THAT(records.reports, SizeIs(1));
  ASSERT_THAT(records.problems, SizeIs(4));
  EXPECT_THAT(records.problems[0].what, HasSubstr("use a newer bigfoot"));
}

TEST(RecordReader, UnknownTypesAndMissingFilesAreNamed) {
  auto odd = race("a", 1);
  odd["type"] = "deadlock";
  EXPECT_THAT(only_problem(odd.dump()), HasSubstr("unknown type 'deadlock'"));
  Records records;
  read_file("/no/such/file.json", records);
  ASSERT_THAT(records.problems, SizeIs(1));
  EXPECT_THAT(to_string(records.problems[0]), HasSubstr("/no/such/file.json: cannot be read"));
  read_file("/tmp", records);
  EXPECT_THAT(to_string(records.problems.back()), HasSubstr("is a folder"));
}

// --- what the loader refuses ---

std::string refusal(const testing::json& record) {
  Arena arena;
  try {
    Loader(arena, nullptr).load(record);
  } catch (const BadRecord& error) {
    return error.what();
  }
  return "";
}

TEST(Loader, RefusesRecordsThatContradictThemselves) {
  EXPECT_EQ(refusal(race("a", 1)), "");
  auto record = race("a", 1);
  record["accesses"].erase(1);
  EXPECT_EQ(refusal(record), "1 accesses instead of 2");
  record = race("a", 1);
  record["accesses"][0]["locks"] = {{{"mutex", 0}, {"mode", "write"}}};
  EXPECT_EQ(refusal(record), "mutex 0 is not in the list of mutexes");
  record = race("a", 1);
  record["accesses"][0]["stack"]["frames"][0]["module"] = 7;
  EXPECT_EQ(refusal(record), "module 7 is not in the list of modules");
  record = race("a", 1);
  record["accesses"][0]["kind"] = "poke";
  EXPECT_EQ(refusal(record), "unknown kind of access 'poke'");
  record = race("a", 1);
  record["accesses"][0]["address"] = "0xzz";
  EXPECT_EQ(refusal(record), "member 'address' is no hexadecimal number");
  record = race("a", 1);
  record["threads"] = 5;
  EXPECT_EQ(refusal(record), "member 'threads' is no array");
  record = race("a", 1);
  record["title"] = 5;
  EXPECT_THAT(refusal(record), HasSubstr("must be string"));
}

TEST(Loader, NumbersAndObjectsAreNoOther) {
  auto record = race("a", 1);
  record["accesses"][0]["size"] = -5;
  EXPECT_EQ(refusal(record), "member 'size' is no natural number");
  record = race("a", 1);
  record["accesses"][0]["stack"]["frames"][0]["line"] = 1e300;
  EXPECT_EQ(refusal(record), "member 'line' is no natural number");
  record["accesses"][0]["stack"]["frames"][0]["line"] = 1ULL << 32;
  EXPECT_EQ(refusal(record), "member 'line' is too large");
  record["accesses"][0]["stack"] = "main";
  EXPECT_EQ(refusal(record), "what should have a member 'frames' is no object");
}

// Bytes changed at random: a line is read, or named, and nothing else happens.
TEST(Loader, SurvivesRandomDamage) {
  const unsigned seed = ::testing::UnitTest::GetInstance()->random_seed() + 1u;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string good = race("a", 1).dump();
  int loaded = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string line = good;
    for (unsigned n = random() % 3 + 1; n > 0; --n)
      line[random() % line.size()] = char(random() % 256);
    if (line.find('\n') != std::string::npos) continue;
    const Records records = read(line);
    ASSERT_EQ(records.reports.size() + records.ends.size() + records.problems.size(), 1u) << line;
    if (records.reports.empty()) continue;
    refusal(records.reports[0].value).empty() ? ++loaded : ++refused;
  }
  EXPECT_GT(loaded, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace bigfoot::report
