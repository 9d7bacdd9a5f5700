// Functions that wait for their checks.
//
// Compiling a file marks its functions with what they are compiled for, and whatever is marked gets
// checks: at once, in a file that is compiled on its own; in the linker, if that optimises the
// whole program, so that calls between files are looked through. A link may bring together files
// for several detectors, files that have their checks and files that are not to have any; the marks
// tell them apart.
//
// A marked file has a constructor that announces it to the run time when the checks are in. Until
// then it calls a function that exists nowhere: a linker that does not load the plugin fails with
// that function's name, instead of making a program in which races are missed.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "frontends/llvm/settings.h"

namespace bigfoot::frontend {

// Marks what is to have checks. Does nothing to a module that has been marked, even if it has its
// checks already. The mark also keeps ThreadSanitizer's own pass out.
void mark_module(llvm::Module& module, const Settings& settings);

// While functions are inlined ahead of placement: nothing that waits goes into a function that does
// not, where nobody would give it checks, and nothing that is not to be checked into one that
// waits. LLVM keeps functions apart that are and are not sanitized, unless one is always inlined;
// so what waits is the only sanitized code for the time being, and nothing is always inlined (over
// the borders of files; within them it has been done).
void keep_waiting_apart(llvm::Module& module);
void end_keeping_apart(llvm::Module& module);

// The functions of one detector and one set of options, in the order of the module.
struct Batch {
  Settings settings;
  std::vector<llvm::Function*> functions;
  std::vector<llvm::Function*> constructors;  // of the files that they are from
};
// Those that wait. A mark that can not be read is an error of the compilation.
std::vector<Batch> unplaced(llvm::Module& module);

// The file that the function is from, of those that are linked. REQUIRES: marked.
std::string source_of(const llvm::Function& marked);
// What the batch is of, to tell people: a file, or how many.
std::string title_of(const Batch& batch);

// For all files of the batch, functions not added yet.
explain::Accounts accounts_for(const Batch& batch);

// The batch has its checks: its constructors announce their files.
void settle(const Batch& batch);

}  // namespace bigfoot::frontend
