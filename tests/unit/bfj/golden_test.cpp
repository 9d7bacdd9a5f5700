// The papers' figures: each golden file is placed and compared with its expected text, which was
// written from the figure.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/contexts.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/place_program.h"
#include "frontends/bfj/printer.h"

namespace bigfoot::bfj {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Golden {
  const char* input;
  const char* expected;
  placement::Detector detector;
  bool address_precise;
  bool contexts;
};
void PrintTo(const Golden& g, std::ostream* os) {
  *os << g.expected;
}

class Figures : public testing::TestWithParam<Golden> {};

TEST_P(Figures, HaveThePapersChecks) {
  const Golden& g = GetParam();
  const std::string folder = BIGFOOT_GOLDEN_DIR;
  const ParseResult parsed = parse(read_file(folder + "/" + g.input));
  ASSERT_TRUE(parsed.ok()) << format(parsed.errors, g.input);
  placement::Options options;
  options.detector = g.detector;
  options.address_precise = g.address_precise;
  options.assume_termination = true;  // as the papers do
  options.record_contexts = g.contexts;
  auto chain = solver::make_chain(solver::Engines::Both);
  const PlacedProgram placed = place_program(parsed.program, *chain, options);
  EXPECT_FALSE(placed.rejection) << good_checks::format(placed.analysed, *placed.rejection);
  const std::string text =
      print(placed.program, g.contexts ? context_annotator(placed) : Annotator());
  EXPECT_EQ(text, read_file(folder + "/" + g.expected));
}

using placement::Detector;
INSTANTIATE_TEST_SUITE_P(
    Papers, Figures,
    testing::Values(
        Golden{"fig1.bfj", "fig1.expected", Detector::BigFoot, true, false},
        Golden{"fig3.bfj", "fig3.expected", Detector::BigFoot, true, true},
        Golden{"fig6a.bfj", "fig6a.expected", Detector::BigFoot, true, true},
        Golden{"fig6b.bfj", "fig6b.expected", Detector::BigFoot, true, true},
        Golden{"redcard1.bfj", "redcard1.expected", Detector::RedCard, false, false},
        Golden{"redcard_paths.bfj", "redcard_paths.expected", Detector::RedCard, false, false},
        Golden{"redcard_alias.bfj", "redcard_alias.expected", Detector::RedCard, false, false},
        Golden{"redcard_alias.bfj", "redcard_alias_off.expected", Detector::RedCard, true, false},
        Golden{"redcard_alias_write.bfj", "redcard_alias_write.expected", Detector::RedCard, false,
               false},
        Golden{"redcard_span.bfj", "redcard_span.expected", Detector::RedCard, true, false}));

}  // namespace
}  // namespace bigfoot::bfj
