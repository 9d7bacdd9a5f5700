// What clang and, for full LTO, lld load: registers the passes.
//
// The detectors that place a check at every access check what is left when the optimiser is done.
// The ones that move checks run where loops are canonical and not yet vectorised, so that a loop
// whose checks have left it can still be vectorised; at -O0 nothing of the kind happens and they
// run at the end.
//
// For the latter, a file that is compiled for full LTO is only marked (unplaced.h). The linker puts
// the files together, decides which functions nobody outside can call or replace, and then runs the
// passes on the program: first what the compiler does before placement, now over the borders of
// files; then placement; then its own optimisations, vectorising among them.
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/IPO/ElimAvailExtern.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/ModuleInliner.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>

#include "frontends/llvm/compat.h"
#include "frontends/llvm/global_arrays.h"
#include "frontends/llvm/inline_tests.h"
#include "frontends/llvm/instrument.h"
#include "frontends/llvm/place.h"
#include "frontends/llvm/promotion.h"
#include "frontends/llvm/unplaced.h"

namespace {

using bigfoot::frontend::ArraysPass;
using bigfoot::frontend::Batch;
using bigfoot::frontend::InlineTestsPass;
using bigfoot::frontend::InstrumentPass;
using bigfoot::frontend::left_to_the_linker;
using bigfoot::frontend::PlacePass;
using bigfoot::frontend::Settings;
using bigfoot::frontend::settings_asked_for;
using bigfoot::placement::Detector;
using llvm::ModulePassManager;
using llvm::OptimizationLevel;
using llvm::ThinOrFullLTOPhase;

// Does this to the module.
class DoPass : public llvm::PassInfoMixin<DoPass> {
 public:
  explicit DoPass(void (*what)(llvm::Module&)) : what_(what) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    what_(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

 private:
  void (*what_)(llvm::Module&);
};

DoPass mark_pass() {
  return DoPass([](llvm::Module& m) { bigfoot::frontend::mark_module(m, settings_asked_for()); });
}

// Passes for modules in which something waits for its checks that `which` is true of.
class IfUnplacedPass : public llvm::PassInfoMixin<IfUnplacedPass> {
 public:
  IfUnplacedPass(bool (*which)(const Settings&), ModulePassManager passes)
      : which_(which), passes_(std::move(passes)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    const bool any = llvm::any_of(bigfoot::frontend::unplaced(module),
                                  [&](const Batch& b) { return which_(b.settings); });
    return any ? passes_.run(module, analyses) : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

 private:
  bool (*which_)(const Settings&);
  ModulePassManager passes_;
};

// A loop inside another is entered under a guard, "at least once", that often does not change with
// the outer loop. Behind a guard that has been taken out, all rounds of the outer loop access the
// same way, and their ranges are one.
ModulePassManager take_guards_out_of_loops() {
  llvm::FunctionPassManager each;
  each.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true, /*Trivial=*/true), /*UseMemorySSA=*/true));
  ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  return passes;
}

bool moves_checks(const Settings& settings) {
  return settings.placement() == Detector::BigFoot;
}
bool places_checks(const Settings& settings) {
  return settings.placement() != Detector::FastTrack;
}

void place_in_file(ModulePassManager& passes) {
  passes.addPass(mark_pass());
  passes.addPass(PlacePass());
}

// What is compiled for a link that optimises is not done with by then: a copy of a function that is
// there to be inlined, and has no checks, is not to be inlined any more.
bool is_before_link(ThinOrFullLTOPhase phase) {
  return phase == ThinOrFullLTOPhase::ThinLTOPreLink || phase == ThinOrFullLTOPhase::FullLTOPreLink;
}

// A check at every access needs nothing of other files, and is to be there before the linker drops
// accesses to what only this program writes.
bool waits_for_link() {
  return left_to_the_linker() && places_checks(settings_asked_for());
}
bool only_marks(ThinOrFullLTOPhase phase) {
  return phase == ThinOrFullLTOPhase::FullLTOPreLink && waits_for_link();
}

void add_early(ModulePassManager& passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
  if (phase == ThinOrFullLTOPhase::ThinLTOPostLink || only_marks(phase)) return;
  const Settings settings = settings_asked_for();
  if (!places_checks(settings) || level == OptimizationLevel::O0) return;
  if (is_before_link(phase)) passes.addPass(llvm::EliminateAvailableExternallyPass());
  if (moves_checks(settings)) passes.addPass(take_guards_out_of_loops());
  place_in_file(passes);
}

void finish(ModulePassManager& passes) {
  passes.addPass(InlineTestsPass());
  passes.addPass(ArraysPass());
}

void add_last(ModulePassManager& passes, ThinOrFullLTOPhase phase) {
  // In a link that optimises file by file each file has its checks, or is to have none.
  if (phase == ThinOrFullLTOPhase::ThinLTOPostLink) return;
  if (only_marks(phase)) return passes.addPass(mark_pass());
  if (is_before_link(phase)) passes.addPass(llvm::EliminateAvailableExternallyPass());
  place_in_file(passes);
  passes.addPass(InstrumentPass());
  finish(passes);
}

// What has to be known of functions before placement, which the compiler found out of each file:
// what is inlined where, what callees do. Nothing of LTO's other passes: those on global variables
// drop accesses to what only this program writes, races included.
ModulePassManager prepare_program(llvm::PassBuilder& builder, OptimizationLevel level) {
  ModulePassManager passes;
  passes.addPass(DoPass(bigfoot::frontend::keep_waiting_apart));
  passes.addPass(builder.buildInlinerPipeline(level, ThinOrFullLTOPhase::None));
  passes.addPass(llvm::ReversePostOrderFunctionAttrsPass());
  passes.addPass(DoPass(bigfoot::frontend::end_keeping_apart));
  passes.addPass(IfUnplacedPass(moves_checks, take_guards_out_of_loops()));
  return passes;
}

void add_at_link(llvm::PassBuilder& builder, ModulePassManager& passes, OptimizationLevel level) {
  if (level != OptimizationLevel::O0)
    passes.addPass(IfUnplacedPass(places_checks, prepare_program(builder, level)));
  // Copies to be inlined, without checks: LTO has an inliner of its own.
  passes.addPass(llvm::EliminateAvailableExternallyPass());
  passes.addPass(PlacePass());
}

// Loops have to come to the linker as placement wants them. These passes are in LTO's pipeline,
// too, all but LoopLoadElimination, which versions loops as the vectoriser does.
bool is_for_the_linker(llvm::StringRef pass) {
  static constexpr llvm::StringLiteral kPasses[] = {
      "LoopVectorizePass",  "SLPVectorizerPass",       "LoopUnrollPass",
      "LoopDistributePass", "LoopLoadEliminationPass", "WarnMissedTransformationsPass"};
  return llvm::is_contained(kPasses, pass);
}

// Vector code reads more than the program does, and throws it away: a loop over one field of many
// structs reads all fields, a search reads beyond what it finds, single reads with gaps become one.
// A check of such a read is a check of what the program does not access. Checks that are placed
// ahead of the vectorisers do not see it; those placed behind them must do without.
void read_no_more_than_the_program() {
  static constexpr llvm::StringLiteral kOptions[] = {
      "enable-interleaved-mem-accesses", "enable-early-exit-vectorization", "vectorize-slp"};
  const auto& options = llvm::cl::getRegisteredOptions();
  for (const llvm::StringRef name : kOptions) {
    const auto option = options.find(name);
    if (option == options.end() || option->second->getNumOccurrences() > 0) continue;
    option->second->addOccurrence(0, name, "false");
  }
}

void register_passes(llvm::PassBuilder& builder) {
  if (!places_checks(settings_asked_for())) read_no_more_than_the_program();
  namespace compat = bigfoot::frontend::compat;
  compat::at_optimizer_early(builder, add_early);
  compat::at_optimizer_last(builder, add_last);
  builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [&builder](ModulePassManager& passes, OptimizationLevel level) {
        add_at_link(builder, passes, level);
      });
  builder.registerFullLinkTimeOptimizationLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { finish(passes); });
  if (auto* callbacks = builder.getPassInstrumentationCallbacks()) {
    bigfoot::frontend::do_not_read_ahead_of_loops(*callbacks);
    if (waits_for_link())
      callbacks->registerShouldRunOptionalPassCallback(
          [](llvm::StringRef pass, llvm::Any) { return !is_for_the_linker(pass); });
  }
  // For `opt -passes=bigfoot`, which the tests of single transformations use.
  builder.registerPipelineParsingCallback([](llvm::StringRef name, ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "bigfoot") return false;
    add_last(passes, ThinOrFullLTOPhase::None);
    return true;
  });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "bigfoot", BIGFOOT_VERSION, register_passes};
}
