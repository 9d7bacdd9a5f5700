// JSON records: well-formed whatever the names are, and saying the same as the text.
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report_fixture.h"
#include "runtime/report/json_reader.h"
#include "runtime/report/json_report.h"
#include "runtime/report/json_writer.h"

namespace bigfoot::rt::report::testing {
namespace {

using Json = nlohmann::json;

std::string hex(u64 v) {
  std::ostringstream s;
  s << "0x" << std::hex << v;
  return s.str();
}

Race simple_race(Program& p, Named name, const std::string& thread_name = "") {
  const Origin here = p.at({p.code(std::move(name))});
  const uptr variable = p.variable("v", 4);
  return race(access(AccessKind::kWrite, variable, 4, kMainThread, here),
              access(AccessKind::kRead, variable, 4, p.thread(1, thread_name), here));
}

TEST(ReportJson, EveryFactOfARace) {
  Program p;
  const Pc inner = p.code({{"inner()", "/src/i.h", 3, 7}, {"outer(int)", "/src/o.cpp", 4, 1}});
  const Pc reader = p.code({"reader()", "/src/r.cpp", 6, 2});
  const Pc nameless = p.nameless_code();
  const Pc made = p.code({"make()", "/src/m.cpp", 8, 9});
  const Pc spawn = p.code({"spawn()", "/src/s.cpp", 7, 1});
  const Pc lock = p.code({"lock()", "/src/l.cpp", 1, 1});
  const uptr block = p.block(0x700000001000, 40, p.at({made}), ThreadId{1});
  p.facts.mutexes[0x5000] = p.at({made});
  const ThreadId t1 = p.thread(1, "worker", kMainThread, p.at({spawn}), ThreadState::kFinished);
  Access current = access(AccessKind::kAtomicWrite, block + 4, 8, kMainThread,
                          p.at({inner, kOwnCalls, nameless}, {{0x5000, p.at({lock}), true}}));
  current.clock = 17;
  const Access previous =
      access(AccessKind::kRead, block + 8, 2, t1, p.at({reader}, {{0x6000, p.at({lock}), false}}));
  p.reporter().race_found(race(current, previous));
  ASSERT_EQ(p.json_lines().size(), 1u);
  const Json j = Json::parse(p.json_lines()[0]);

  EXPECT_EQ(j["schema"], "bigfoot-report");
  EXPECT_EQ(j["version"], 3);
  EXPECT_EQ(j["type"], "race");
  EXPECT_EQ(j["kind"], "data-race");
  EXPECT_EQ(j["title"], "data race");
  EXPECT_EQ(j["summary"], "data race /src/i.h:3:7 in inner()");
  EXPECT_EQ(j["pid"], getpid());
  EXPECT_GT(j["time_ms"], 1'600'000'000'000);
  EXPECT_EQ(j["fingerprint"].get<std::string>().size(), 16u);
  EXPECT_NE(p.log().find("  Fingerprint: " + j["fingerprint"].get<std::string>() + "\n"),
            std::string::npos);
  EXPECT_EQ(j["overlap"], (Json{{"address", hex(block + 8)}, {"size", 2}}));
  EXPECT_EQ(j["locks"], "none-in-common");

  const Json& a = j["accesses"][0];
  EXPECT_EQ(a["role"], "current");
  EXPECT_EQ(a["kind"], "write");
  EXPECT_EQ(a["atomic"], true);
  EXPECT_EQ(a["address"], hex(block + 4));
  EXPECT_EQ(a["size"], 8);
  EXPECT_EQ(a["thread"], 0);
  EXPECT_EQ(a["clock"], 17);
  const u64 bias = executable_bias();
  EXPECT_EQ(a["stack"]["frames"],
            (Json{{{"function", "inner()"},
                   {"file", "/src/i.h"},
                   {"line", 3},
                   {"column", 7},
                   {"inlined", true},
                   {"module", 0},
                   {"offset", hex(inner - 1 - bias)},
                   {"pc", hex(inner)}},
                  {{"function", "outer(int)"},
                   {"file", "/src/o.cpp"},
                   {"line", 4},
                   {"column", 1},
                   {"recursive", true},
                   {"module", 0},
                   {"offset", hex(inner - 1 - bias)},
                   {"pc", hex(inner)}},
                  {{"module", 0}, {"offset", hex(nameless - 1 - bias)}, {"pc", hex(nameless)}}}));
  EXPECT_EQ(a["locks"][0]["mutex"], 0);
  EXPECT_EQ(a["locks"][0]["mode"], "read");
  EXPECT_EQ(a["locks"][0]["taken"]["frames"][0]["function"], "lock()");
  const Json& b = j["accesses"][1];
  EXPECT_EQ(b["role"], "previous");
  EXPECT_EQ(b["kind"], "read");
  EXPECT_EQ(b["atomic"], false);
  EXPECT_EQ(b["locks"][0]["mode"], "write");

  EXPECT_EQ(j["object"]["kind"], "heap");
  EXPECT_EQ(j["object"]["address"], hex(block));
  EXPECT_EQ(j["object"]["size"], 40);
  EXPECT_EQ(j["object"]["freed"], false);
  EXPECT_EQ(j["object"]["thread"], 1);
  EXPECT_EQ(j["object"]["allocated"]["frames"][0]["function"], "make()");
  EXPECT_EQ(j["mutexes"][0]["address"], "0x5000");
  EXPECT_EQ(j["mutexes"][0]["created"]["frames"][0]["line"], 8);
  EXPECT_EQ(j["mutexes"][1]["address"], "0x6000");
  EXPECT_FALSE(j["mutexes"][1].contains("created"));
  ASSERT_EQ(j["threads"].size(), 2u);
  EXPECT_EQ(j["threads"][1]["id"], 1);
  EXPECT_EQ(j["threads"][1]["os_id"], 1001);
  EXPECT_EQ(j["threads"][1]["name"], "worker");
  EXPECT_EQ(j["threads"][1]["state"], "finished");
  EXPECT_EQ(j["threads"][1]["creator"], 0);
  EXPECT_EQ(j["threads"][1]["created"]["frames"][0]["function"], "spawn()");
  ASSERT_EQ(j["modules"].size(), 1u);
  EXPECT_EQ(j["modules"][0]["id"], 0);
  EXPECT_EQ(j["modules"][0]["bias"], hex(bias));
  EXPECT_EQ(j["modules"][0]["path"].get<std::string>().ends_with(executable_name()), true);
}

// Steps around each access: releases with a higher clock than the access are after it.
TEST(ReportJson, TheStepsAroundTheAccesses) {
  Program p;
  const Pc here = p.code({"f()", "/src/f.cpp", 3, 7});
  const uptr variable = p.variable("v", 4);
  const uptr gate = p.variable("gate", 40);
  const ThreadId t1 = p.thread(1);
  const Origin at = p.at({here});
  auto& main = p.facts.histories[0];
  main = {{100, 1, 1, at, StepKind::kCreate}, {300, 1, gate, at, StepKind::kLock}};
  auto& other = p.facts.histories[1];
  for (u64 i = 0; i < 30; ++i)
    other.push_back({200 + i, 10 + i, 0xb0, at, i % 2 == 0 ? StepKind::kUnlock : StepKind::kLock});
  Access previous = access(AccessKind::kWrite, variable, 4, t1, at);
  previous.clock = 24;
  p.reporter().race_found(race(access(AccessKind::kRead, variable, 4, kMainThread, at), previous));
  const Json j = Json::parse(p.json_lines()[0]);

  ASSERT_EQ(j["history"].size(), 2u);
  EXPECT_EQ(j["history"][0]["thread"], 0);
  EXPECT_FALSE(j["history"][0].contains("incomplete"));
  const Json& steps = j["history"][0]["steps"];
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0]["kind"], "create");
  EXPECT_EQ(steps[0]["thread"], 1);
  EXPECT_EQ(steps[0]["time"], 0);
  EXPECT_EQ(steps[1]["time"], 200);
  EXPECT_EQ(steps[1]["object"], hex(gate));
  EXPECT_EQ(steps[1]["name"], "gate");
  EXPECT_EQ(steps[1]["stack"]["frames"][0]["function"], "f()");

  // The first unlock with a clock above 24 has 26: twelve steps before it, eight from it on.
  const Json& around = j["history"][1]["steps"];
  EXPECT_TRUE(j["history"][1].contains("incomplete"));
  ASSERT_EQ(around.size(), 20u);
  EXPECT_EQ(around[0]["clock"], 14);
  EXPECT_EQ(around[12]["clock"], 26);
  EXPECT_EQ(around[12]["kind"], "unlock");
  EXPECT_EQ(around[19]["clock"], 33);
  EXPECT_EQ(j["run"]["folder"], std::filesystem::current_path().string());
  EXPECT_NE(j["run"]["command"][0].get<std::string>().find("unit_report"), std::string::npos);
}

TEST(ReportJson, AGlobalAFindingAndTheEnd) {
  Program p;
  p.reporter().race_found(simple_race(p, {"f", "/f.c", 1, 1}));
  p.reporter().finding({"thread leak", 0, kNoOrigin,
                        p.thread(2, "", kMainThread, p.at({p.code({"spawn", "/s.c", 2, 2})}))});
  p.reporter().finish(0);
  const auto lines = p.json_lines();
  ASSERT_EQ(lines.size(), 3u);
  const Json global = Json::parse(lines[0])["object"];
  EXPECT_EQ(global["kind"], "global");
  EXPECT_EQ(global["name"], "v");
  EXPECT_EQ(global["size"], 4);
  EXPECT_EQ(global["module"], 0);
  const Json leak = Json::parse(lines[1]);
  EXPECT_EQ(leak["type"], "finding");
  EXPECT_EQ(leak["kind"], "thread-leak");
  EXPECT_EQ(leak["thread"], 2);
  EXPECT_FALSE(leak.contains("accesses"));
  EXPECT_FALSE(leak.contains("object"));
  const Json end = Json::parse(lines[2]);
  EXPECT_EQ(end["type"], "end");
  EXPECT_EQ(end["reported"], 2);
  EXPECT_EQ(end["duplicates"], 0);
  EXPECT_EQ(end["dropped"], 0);
}

void collect_keys(const Json& j, std::set<std::string>& keys) {
  if (j.is_object())
    for (const auto& [key, value] : j.items()) keys.insert(key), collect_keys(value, keys);
  if (j.is_array())
    for (const Json& value : j) collect_keys(value, keys);
}

TEST(ReportJson, EveryMemberIsDocumented) {
  Program p;
  const std::string supp = p.write_file("supp", "race:absent");
  p.options.suppressions = supp.c_str();
  const Origin deep = p.at({p.code({{"i", "/i.h", 1, 1}, {"f", "/f.c", 1, 1}}), kOwnCalls});
  p.facts.origins[raw(deep)].truncated = true;
  std::vector<HeldLock> held(100, {0x5000, deep, false});
  for (usize i = 0; i < held.size(); ++i) held[i].address += 64 * i;
  p.facts.mutexes[0x5000] = deep;
  const Origin a = p.at({p.code({"g", "/g.c", 1, 1})}, held);
  const uptr block = p.block(0x700000001000, 8, deep);
  const ThreadId t = p.thread(1, "name", kMainThread, deep);
  p.facts.threads[1].is_fiber = true;
  p.facts.histories[1] = {{1, 1, 2, deep, StepKind::kCreate},
                          {2, 9, p.variable("gate", 8), deep, StepKind::kUnlock}};
  p.reporter().race_found(race(access(AccessKind::kFree, block, 8, kMainThread, a),
                               access(AccessKind::kRead, block, 8, t, deep)));
  p.reporter().race_found(simple_race(p, {"f", "/f.c", 1, 1}));
  p.reporter().race_found(
      race(access(AccessKind::kWrite, 0x1000, 8, kMainThread,
                  p.at({p.code({"h", "/h.c", 1, 1})}, {{0x9000, deep, false}})),
           access(AccessKind::kRead, 0x1000, 8, t,
                  p.at({p.code({"h", "/h.c", 2, 1})}, {{0x9100, deep, false}}))));
  p.reporter().finding({"thread leak", 0, deep, t});
  p.reporter().finish(0);
  std::set<std::string> keys;
  for (const std::string& line : p.json_lines()) collect_keys(Json::parse(line), keys);
  EXPECT_GE(keys.size(), 50u);
  const std::string text = read_whole(BIGFOOT_SOURCE_DIR "/docs/json-format.md");
  for (const std::string& key : keys)
    EXPECT_NE(text.find("`" + key + "`"), std::string::npos)
        << key << " is missing from docs/json-format.md";
}

TEST(ReportJson, HostileNamesSurviveExactly) {
  const std::string names[] = {
      "quote\" backslash\\ slash/",
      "line\nend\rtab\tbell\a nul-less \x01\x1f\x7f",
      "</script><!-- {\"a\":[1]}",
      "\u00e4\u20ac\U0001F600 \u2028",
      std::string(100000, '<') + std::string(100000, '>'),
  };
  for (const std::string& name : names) {
    Program p;
    p.reporter().race_found(simple_race(p, {name, name, 1, 1}, name.substr(0, 31)));
    ASSERT_EQ(p.json_lines().size(), 1u) << "a record is one line";
    const Json j = Json::parse(p.json_lines()[0]);
    EXPECT_EQ(j["accesses"][0]["stack"]["frames"][0]["function"], name);
    EXPECT_EQ(j["accesses"][0]["stack"]["frames"][0]["file"], name);
  }
}

TEST(ReportJson, BytesThatAreNoUtf8AreReplaced) {
  const std::string bad[] = {
      "\xff",              // never a byte of UTF-8
      "\x80",              // continuation without a start
      "\xc3",              // start without continuation, at the end
      "\xc3(",             // and before something else
      "\xe2\x82",          // truncated
      "\xc0\xaf",          // overlong
      "\xe0\x80\xaf",      // overlong
      "\xed\xa0\x80",      // surrogate
      "\xf4\x90\x80\x80",  // above U+10FFFF
      "\xf0\x80\x80\xaf",  // overlong
  };
  for (const std::string& name : bad) {
    TextBuffer out;
    const std::string text = "a" + name + "b";
    JsonWriter(out).string(Text(text.data(), text.size()));
    const std::string decoded = Json::parse(to_string(out.text())).get<std::string>();
    EXPECT_TRUE(decoded.starts_with("a\ufffd")) << decoded;
    EXPECT_TRUE(decoded.ends_with("b")) << decoded;
  }
}

TEST(ReportJson, AnyBytesGiveValidJson) {
  // Deterministic noise; the seed is the loop's variable.
  for (u64 seed = 1; seed <= 2000; ++seed) {
    std::string text;
    for (u64 x = seed; text.size() < seed % 40;
         x = x * 6364136223846793005ull + 1442695040888963407ull)
      text += static_cast<char>(x >> 56);
    TextBuffer out;
    JsonWriter(out).string(Text(text.data(), text.size()));
    EXPECT_TRUE(Json::accept(to_string(out.text()))) << "seed " << seed;
  }
}

TEST(ReportJson, AFullDiskIsSaidOnceAndCounted) {
  Program p;
  p.options.json_path = "/dev/full";
  ::testing::internal::CaptureStderr();
  for (u32 line = 1; line <= 3; ++line)
    p.reporter().race_found(simple_race(p, {"f", "/f.c", line, 1}));
  const int code = p.reporter().finish(0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "bigfoot: cannot write to '/dev/full': no space left on device; reports are missing "
            "from it\n");
  EXPECT_EQ(code, 66);
  EXPECT_EQ(p.reporter().counts().reported, 3u);
  EXPECT_TRUE(
      p.log().ends_with("BigFoot: reported 3 warnings\nBigFoot: 4 JSON records were lost\n"));
}

TEST(ReportJson, LostOutputAloneMakesTheExitCodeTell) {
  Program p;
  p.options.json_path = "/dev/full";
  p.options.exitcode = 0;
  ::testing::internal::CaptureStderr();
  p.reporter().race_found(simple_race(p, {"f", "/f.c", 1, 1}));
  EXPECT_EQ(p.reporter().finish(0), 74);
  EXPECT_EQ(p.reporter().finish(5), 5);
  ::testing::internal::GetCapturedStderr();
}

// --- the reader, used for the symbolizer's answers
// -----------------------------------------------------

std::string reader_string(std::string json) {
  JsonReader reader(json.data(), json.size());
  Text out;
  return reader.string(out) ? to_string(out) : "(none)";
}

TEST(JsonReader, StringsAreDecoded) {
  EXPECT_EQ(reader_string(R"("plain")"), "plain");
  EXPECT_EQ(reader_string(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(reader_string(R"("\u00e4\u20ac\ud83d\ude00")"), "\u00e4\u20ac\U0001F600");
  for (const char* bad : {"", "x", "\"open", R"("\x")", R"("\u12")", R"("\u12g4")", R"("\ud83d")",
                          R"("\ud83dx")", R"("\ud83d\u0041")", "\"\\"})
    EXPECT_EQ(reader_string(bad), "(none)") << bad;
}

TEST(JsonReader, SkipsWhatItIsNotAskedFor) {
  std::string text =
      R"( {"a": [1, {"b": null, "c": "]}"}, -2.5e3], "n": 42, "t": true, "e": {}, "f": []} )";
  JsonReader reader(text.data(), text.size());
  u64 n = 0;
  EXPECT_TRUE(
      reader.object([&](Text key) { return key == "n" ? reader.number(n) : reader.skip(); }));
  EXPECT_EQ(n, 42u);
}

TEST(JsonReader, TruncatedTextIsAnError) {
  const std::string whole = R"({"Symbol":[{"FunctionName":"f","Line":3}],"x":{"y":[1,2]}})";
  for (usize n = 0; n < whole.size(); ++n) {
    std::string part = whole.substr(0, n);
    JsonReader reader(part.data(), part.size());
    EXPECT_FALSE(reader.skip()) << part;
  }
  std::string deep(100, '[');
  EXPECT_FALSE(JsonReader(deep.data(), deep.size()).skip());
}

TEST(JsonReader, AgreesWithTheWriterOnAnyBytes) {
  for (u64 seed = 1; seed <= 1000; ++seed) {
    std::string text;
    for (u64 x = seed; text.size() < seed % 30;
         x = x * 6364136223846793005ull + 1442695040888963407ull)
      text += static_cast<char>((x >> 56) & 0x7f);
    TextBuffer out;
    JsonWriter(out).string(Text(text.data(), text.size()));
    EXPECT_EQ(reader_string(to_string(out.text())), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
