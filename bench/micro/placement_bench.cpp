// How placement time grows with the size of a method. Prints a curve: statements, milliseconds,
// microseconds per statement. The last column staying flat is the claim.
//
// The method is a repetition of the idioms placement works on: field updates, a counted loop over
// an array, a branch, and every so often a lock. Affine only and with Z3 behind it are shown side
// by side.
#include <cstdio>
#include <ctime>
#include <string>

#include "analysis/placement/placement.h"
#include "analysis/solver/standard_chain.h"
#include "frontends/bfj/lower.h"
#include "frontends/bfj/parser.h"

namespace {

using namespace bigfoot;

std::string method_of(int statements) {
  std::string text = "class C { f, g, h; m(a, o, l, n) {\n";
  int count = 0;
  for (int k = 0; count < statements; ++k) {
    const std::string i = "i" + std::to_string(k);
    text += "t = o.f; o.f = t + 1; o.g = t; x = a[" + std::to_string(k % 64) + "];\n";
    text += "for (" + i + " = 0; " + i + " < n; " + i + " = " + i + " + 1) { a[" + i + "] = t; }\n";
    text += "if (t < n) { y = o.h; } else { o.h = t; }\n";
    count += 10;
    if (k % 4 == 3) {
      text += "acq(l); z = o.g; rel(l);\n";
      count += 3;
    }
  }
  return text + "} }\n";
}

double milliseconds(int statements, solver::Engines engines) {
  const auto parsed = bfj::parse(method_of(statements));
  const bfj::Lowered lowered = bfj::lower(parsed.program);
  auto chain = solver::make_chain(engines);
  const std::clock_t start = std::clock();  // processor time: other work on the machine does not count
  const placement::Placement result = placement::place(lowered.program, *chain, {});
  const std::clock_t stop = std::clock();
  if (result.functions[0].plan.checks.empty()) std::puts("no checks placed");
  return 1000.0 * static_cast<double>(stop - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::stoi(argv[1]) : 100000;
  std::printf("%12s %14s %14s %16s\n", "statements", "affine ms", "affine+z3 ms", "us/statement");
  for (int n : {100, 300, 1000, 3000, 10000, 30000, 100000}) {
    if (n > largest) break;
    const double affine = milliseconds(n, solver::Engines::Affine);
    const double both = milliseconds(n, solver::Engines::Both);
    std::printf("%12d %14.1f %14.1f %16.2f\n", n, affine, both, both * 1000 / n);
    std::fflush(stdout);
  }
}
