// What clang loads: registers the passes of the detector that was chosen.
//
// fasttrack checks every access that is left when the optimiser is done. The detectors that move
// checks run where loops are canonical and not yet vectorised, so that a loop whose checks have
// left it can still be vectorised; at -O0 nothing of the kind happens and they run at the end.
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>

#include "frontends/llvm/compat.h"
#include "frontends/llvm/entry_points.h"
#include "frontends/llvm/inline_tests.h"
#include "frontends/llvm/instrument.h"
#include "frontends/llvm/place.h"

namespace {

using bigfoot::frontend::ArraysPass;
using bigfoot::frontend::InlineTestsPass;
using bigfoot::frontend::InstrumentPass;
using bigfoot::frontend::PlacePass;
using bigfoot::frontend::TraceOptions;
using bigfoot::placement::Detector;

// A detector as the user knows it: where it places checks, and whether the run time compresses the
// history of arrays.
enum class Choice { FastTrack, RedCard, SlimState, SlimCard, BigFoot };

llvm::cl::opt<Choice> choice(
    "bigfoot-detector", llvm::cl::desc("How bigfoot places race checks"),
    llvm::cl::values(
        clEnumValN(Choice::FastTrack, "fasttrack", "at every access"),
        clEnumValN(Choice::RedCard, "redcard", "redundant ones dropped"),
        clEnumValN(Choice::SlimState, "slimstate", "at every access, arrays compressed"),
        clEnumValN(Choice::SlimCard, "slimcard", "redundant ones dropped, arrays compressed"),
        clEnumValN(Choice::BigFoot, "bigfoot", "moved, merged and dropped, arrays compressed")),
    llvm::cl::init(Choice::FastTrack));

Detector placement() {
  switch (choice) {
    case Choice::FastTrack:
    case Choice::SlimState:
      return Detector::FastTrack;
    case Choice::RedCard:
    case Choice::SlimCard:
      return Detector::RedCard;
    case Choice::BigFoot:  // which moves checks past their accesses, and nothing else
      return bigfoot::frontend::checks_come_first() ? Detector::RedCard : Detector::BigFoot;
  }
  return Detector::FastTrack;
}

bool compresses_arrays() {
  return choice != Choice::FastTrack && choice != Choice::RedCard;
}

// Whether arrays are swept access by access. What bigfoot makes of a sweep is a range.
bool sweeps() {
  return choice == Choice::SlimState || choice == Choice::SlimCard;
}

llvm::cl::opt<bool> count("bigfoot-count",
                          llvm::cl::desc("Count accesses and race checks as they are executed"));
llvm::cl::opt<bool> verify("bigfoot-verify",
                           llvm::cl::desc("Tell the run time of every access and every check"));

llvm::cl::opt<std::string> explain_to(
    "bigfoot-explain", llvm::cl::desc("Write what became of every access to this file or folder"),
    llvm::cl::value_desc("path"));

bigfoot::frontend::explain::Destination explain_destination() {
  static constexpr const char* kNames[] = {"fasttrack", "redcard", "slimstate", "slimcard",
                                           "bigfoot"};
  return {explain_to, kNames[static_cast<std::size_t>(choice.getValue())]};
}

TraceOptions trace() {
  return {.count = count, .verify = verify};
}

void add_last(llvm::ModulePassManager& passes) {
  // Does nothing to a module that has its checks already.
  if (placement() == Detector::FastTrack)
    passes.addPass(InstrumentPass(trace(), explain_destination()));
  else
    passes.addPass(PlacePass(placement(), trace(), explain_destination()));
  passes.addPass(
      InlineTestsPass(placement() == Detector::BigFoot ? InlineTestsPass::Where::HotLoops
                                                       : InlineTestsPass::Where::Everywhere,
                      sweeps() ? InlineTestsPass::Sweeps::InLoops : InlineTestsPass::Sweeps::No));
  if (compresses_arrays()) passes.addPass(ArraysPass());
}

// A loop inside another is entered under a guard, "at least once", that often does not change with
// the outer loop. Behind a guard that has been taken out, all rounds of the outer loop access the
// same way, and their ranges are one.
void take_guards_out_of_loops(llvm::ModulePassManager& passes) {
  llvm::FunctionPassManager each;
  each.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true, /*Trivial=*/true), /*UseMemorySSA=*/true));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
}

// A loop over one field of many structs is vectorised by reading all of them and throwing the rest
// away, and a check of such a read is a check of what the program does not access. Checks that are
// placed ahead of the vectoriser do not see it; those placed behind it must do without.
void read_no_gaps() {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto option = options.find("enable-interleaved-mem-accesses");
  if (option == options.end() || option->second->getNumOccurrences() > 0) return;
  option->second->addOccurrence(0, option->second->ArgStr, "false");
}

void register_passes(llvm::PassBuilder& builder) {
  if (placement() == Detector::FastTrack) read_no_gaps();
  namespace compat = bigfoot::frontend::compat;
  compat::at_optimizer_early(
      builder, [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (placement() == Detector::FastTrack || level == llvm::OptimizationLevel::O0) return;
        if (placement() == Detector::BigFoot) take_guards_out_of_loops(passes);
        passes.addPass(PlacePass(placement(), trace(), explain_destination()));
      });
  compat::at_optimizer_last(builder, add_last);
  // For `opt -passes=bigfoot`, which the tests of single transformations use.
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "bigfoot") return false;
    add_last(passes);
    return true;
  });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "bigfoot", BIGFOOT_VERSION, register_passes};
}
