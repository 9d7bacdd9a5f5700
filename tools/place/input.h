// What the two commands share: reading a .bfj file and the options that shape a placement.
#pragma once

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include "analysis/placement/options.h"
#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/parser.h"

namespace bigfoot::tools {

struct PlacementFlags {
  std::string file;
  placement::Options options;
  solver::Engines engines = solver::Engines::Both;

  void add_to(CLI::App& app) {
    app.add_option("FILE", file, "The .bfj program")->required();
    const std::map<std::string, placement::Detector> detectors{
        {"fasttrack", placement::Detector::FastTrack},
        {"redcard", placement::Detector::RedCard},
        {"bigfoot", placement::Detector::BigFoot}};
    app.add_option("--detector", options.detector, "Which checks to place")
        ->transform(CLI::CheckedTransformer(detectors))
        ->default_str("bigfoot");
    const std::map<std::string, solver::Engines> solvers{{"affine", solver::Engines::Affine},
                                                         {"z3", solver::Engines::Z3},
                                                         {"both", solver::Engines::Both}};
    app.add_option("--solver", engines, "Who decides entailment")
        ->transform(CLI::CheckedTransformer(solvers))
        ->default_str("both");
    app.add_flag("--address-precise", options.address_precise,
                 "No alias facts: find every racy address, not just some race per trace");
    app.add_flag("--assume-termination", options.assume_termination,
                 "Take every loop and call to end, as the papers do");
    app.add_flag("!--intraprocedural", options.interprocedural,
                 "redcard: take every call to end the span");
  }
};

inline std::optional<bfj::Program> read_program(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    std::cerr << file << ": cannot be read\n";
    return std::nullopt;
  }
  std::stringstream text;
  text << in.rdbuf();
  bfj::ParseResult parsed = bfj::parse(text.str());
  if (!parsed.ok()) {
    std::cerr << bfj::format(parsed.errors, file);
    return std::nullopt;
  }
  return std::move(parsed.program);
}

}  // namespace bigfoot::tools
