// Members that a check's position in the line table names (abi/fields.h): found in the file, said
// in text and JSON, suppressed.
#include <nlohmann/json.hpp>

#include "abi/fields.h"
#include "report_fixture.h"
#include "runtime/report/field_names.h"

// The names that this executable has, some with other places. The last two have the same number.
asm(".pushsection .bigfoot_fields,\"MS\",@progbits,1\n"
    ".asciz \"bank::Account::balance\\n/src/a.cpp:7:2\\n/src/a.cpp:9:2\"\n"
    ".asciz \"\\n/src/a.cpp:8:4\"\n"
    ".asciz \"bank::Account::balance\"\n"
    ".asciz \"bank::Account::limits.daily\"\n"
    ".asciz \"Map<int, a::b>::size\"\n"
    ".asciz \"costarring\"\n"
    ".asciz \"liquid\"\n"
    ".popsection\n");

namespace bigfoot::rt::report::testing {
namespace {

constexpr auto kRead = AccessKind::kRead;
constexpr auto kWrite = AccessKind::kWrite;

u32 number(const std::string& name) {
  return abi::field_number(name.data(), name.size());
}

std::string found(const std::string& path, u32 of) {
  TextBuffer name;
  return find_field(path.c_str(), of, name) ? to_string(name.text()) : "none";
}

TEST(FieldNames, AreFoundByTheirNumber) {
  const std::string self = "/proc/self/exe";
  for (const char* name : {"bank::Account::balance", "Map<int, a::b>::size"})
    EXPECT_EQ(found(self, number(name)), name);
}

TEST(FieldNames, WhatIsNotCertainIsNotSaid) {
  const std::string self = "/proc/self/exe";
  EXPECT_EQ(found(self, 0), "none");
  EXPECT_EQ(found(self, number("bank::Account::name")), "none");
  ASSERT_EQ(number("costarring"), number("liquid"));
  EXPECT_EQ(found(self, number("liquid")), "none");
}

TEST(FieldNames, FilesWithoutThemOrThatAreNoneOrAreCutShort) {
  Program p;
  const u32 balance = number("bank::Account::balance");
  EXPECT_EQ(found("/no/such/file", balance), "none");
  EXPECT_EQ(found(p.write_file("text", "bank::Account::balance"), balance), "none");
  const std::string whole = read_whole("/proc/self/exe");
  ASSERT_EQ(found(p.write_file("whole", whole), balance), "bank::Account::balance");
  for (const usize size : {usize{0}, usize{63}, usize{64}, whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(found(p.write_file("cut", whole.substr(0, size)), balance), "none") << size;
}

// A race on a block between accesses of these members (empty: not known).
Race race_on(Program& p, const std::string& current, const std::string& previous) {
  const auto at = [&](const char* function, const std::string& field) {
    return p.at({p.code({function, "/src/a.cpp", 3, 1, field.empty() ? 0 : number(field)}),
                 p.code({"caller()", "/src/c.cpp", 1, 1, number("Map<int, a::b>::size")})});
  };
  const uptr block = p.block(0x700000001000, 40, kNoOrigin);
  return race(access(kWrite, block, 8, kMainThread, at("put()", current)),
              access(kRead, block, 8, p.thread(1), at("get()", previous)));
}

std::string field_line(const std::string& current, const std::string& previous) {
  Program p;
  p.reporter().race_found(race_on(p, current, previous));
  const std::string log = p.log();
  const usize at = log.find("  Field is");
  return at == std::string::npos ? "" : log.substr(at, log.find('\n', at) - at);
}

TEST(ReportFields, AreSaidOnceOrApart) {
  const std::string balance = "bank::Account::balance", daily = "bank::Account::limits.daily";
  EXPECT_EQ(field_line(balance, balance), "  Field is 'bank::Account::balance'.");
  EXPECT_EQ(field_line(balance, ""), "  Field is 'bank::Account::balance'.");
  EXPECT_EQ(field_line("", balance), "  Field is 'bank::Account::balance'.");
  EXPECT_EQ(field_line(balance, daily),
            "  Field is 'bank::Account::balance', in the previous access "
            "'bank::Account::limits.daily'.");
  EXPECT_EQ(field_line("", ""), "");
  EXPECT_EQ(field_line("liquid", ""), "");
}

TEST(ReportFields, AreMembersOfTheAccessesInJson) {
  Program p;
  p.reporter().race_found(race_on(p, "bank::Account::balance", ""));
  ASSERT_EQ(p.json_lines().size(), 1u);
  const auto accesses = nlohmann::json::parse(p.json_lines()[0])["accesses"];
  EXPECT_EQ(accesses[0]["field"], "bank::Account::balance");
  EXPECT_FALSE(accesses[1].contains("field"));
}

TEST(ReportFields, OtherPlacesAreSaidWithTheAccess) {
  Program p;
  p.reporter().race_found(
      race_on(p, "bank::Account::balance\n/src/a.cpp:7:2\n/src/a.cpp:9:2", "\n/src/a.cpp:8:4"));
  const std::string log = p.log();
  const usize first = log.find(
      "    or at /src/a.cpp:7:2: one check stands for both\n"
      "    or at /src/a.cpp:9:2: one check stands for both\n\n");
  const usize previous = log.find("  Previous read");
  const usize second = log.find("    or at /src/a.cpp:8:4: one check stands for both\n\n");
  EXPECT_LT(first, previous);
  EXPECT_LT(previous, second);
  EXPECT_NE(second, std::string::npos);
  EXPECT_NE(log.find("  Field is 'bank::Account::balance'.\n"), std::string::npos);
  const auto accesses = nlohmann::json::parse(p.json_lines()[0])["accesses"];
  EXPECT_EQ(accesses[0]["field"], "bank::Account::balance");
  EXPECT_EQ(accesses[0]["or_at"], nlohmann::json({"/src/a.cpp:7:2", "/src/a.cpp:9:2"}));
  EXPECT_EQ(accesses[1]["or_at"], nlohmann::json({"/src/a.cpp:8:4"}));
  EXPECT_FALSE(accesses[1].contains("field"));
}

TEST(ReportFields, AreSuppressedByTypeAndName) {
  const struct {
    const char* line;
    const char* previous;
    bool covers;
  } cases[] = {
      {"race_field:bank::Account.balance", "bank::Account::balance", true},
      {"race_field:bank::Account::balance", "bank::Account::balance", true},
      {"race_field:^bank::Account.balance$", "bank::Account::balance", true},
      {"race_field:Account.*", "bank::Account::balance", true},
      {"race_field:.balance$", "bank::Account::balance", true},
      {"race_field:^Account.balance$", "bank::Account::balance", false},
      {"race_field:bank.Account.balance", "bank::Account::balance", false},
      {"race_field:bank::Account.limits.daily", "bank::Account::limits.daily", true},
      {"race_field:Map<int, a::b>.size", "Map<int, a::b>::size", true},
      {"race_field:balance", "", false},
      {"race_field:*", "", false},
      {"race_variable:balance", "bank::Account::balance", false},
      {"race_field:caller", "bank::Account::balance", false},
      {"race_field:Map", "bank::Account::balance", false},  // the caller's number says nothing
  };
  for (const auto& c : cases) {
    Program p;
    const std::string supp = p.write_file("supp", c.line);
    p.options.suppressions = supp.c_str();
    p.reporter().race_found(race_on(p, "", c.previous));
    EXPECT_EQ(p.reporter().counts().suppressed, c.covers ? 1u : 0u) << c.line;
  }
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
