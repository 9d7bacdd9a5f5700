// Whole processes: start-up before the C library, real symbolizer, exit code; PIE and fixed
// addresses.
#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "report_fixture.h"

namespace bigfoot::rt::report::testing {
namespace {

struct Ran {
  int code = -1;
  std::string output;  // stdout and stderr
};

Ran run(const std::string& command) {
  Ran r;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  for (usize n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    r.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return r;
}

class ReportProgram : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Links, ReportProgram,
                         ::testing::Values(BIGFOOT_TEST_PIE, BIGFOOT_TEST_NO_PIE),
                         [](const auto& p) { return p.index == 0 ? "pie" : "no_pie"; });

TEST_P(ReportProgram, NamesCodeAndData) {
  const Ran r = run(GetParam());
  EXPECT_EQ(r.code, 66);
  EXPECT_NE(r.output.find("#0 writer_function() "), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("report_start.cpp:"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("Location is global 'shared_array' of size 64 at "), std::string::npos)
      << r.output;
  EXPECT_TRUE(r.output.ends_with("BigFoot: reported 1 warnings\n")) << r.output;
}

TEST_P(ReportProgram, ReadsTheEnvironmentBeforeTheCLibraryDoes) {
  const Ran r =
      run(std::string("BIGFOOT_OPTIONS=exitcode=5 TSAN_OPTIONS=print_summary=0 ") + GetParam());
  EXPECT_EQ(r.code, 5);
  EXPECT_EQ(r.output.find("SUMMARY"), std::string::npos);
  const Ran bad = run(std::string("BIGFOOT_OPTIONS=nonsense=1 ") + GetParam());
  EXPECT_EQ(bad.code, 64);
  EXPECT_EQ(bad.output,
            "bigfoot: BIGFOOT_OPTIONS: unknown option 'nonsense' (help=1 lists them all)\n");
  EXPECT_EQ(run(std::string("env -i ") + GetParam()).code, 66) << "an empty environment";
}

TEST_P(ReportProgram, AMissingSymbolizerIsBadInputIfItWasNamed) {
  const Ran r = run(std::string("BIGFOOT_OPTIONS=external_symbolizer_path=/no/such ") + GetParam());
  EXPECT_EQ(r.code, 64);
  EXPECT_EQ(r.output, "bigfoot: external_symbolizer_path: '/no/such' cannot be executed\n");
}

TEST_P(ReportProgram, AClosedLibraryKeepsItsNameAndLines) {
  const Ran r = run(std::string(GetParam()) + " " BIGFOOT_TEST_PLUGIN);
  EXPECT_EQ(r.code, 66);
  EXPECT_NE(r.output.find("#0 plugin_function "), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("(libreport_plugin.so+0x"), std::string::npos) << r.output;
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
