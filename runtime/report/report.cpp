#include "runtime/report/report.h"

#include <new>

#include "runtime/options/options.h"
#include "runtime/options/usage_error.h"
#include "runtime/report/llvm_symbolizer.h"
#include "runtime/report/reporter.h"

namespace bigfoot::rt::report {
namespace {

// Never destroyed: other threads may race after the process has begun to end.
alignas(LlvmSymbolizer) constinit char symbolizer_storage[sizeof(LlvmSymbolizer)] = {};
alignas(Reporter) constinit char reporter_storage[sizeof(Reporter)] = {};
constinit Reporter* the_reporter = nullptr;

}  // namespace

void initialise(const Facts& facts) {
  initialise_options();
  const char* path = options().external_symbolizer_path;
  if (path[0] != 0 && !sys::executable(path)) {
    TextBuffer line;
    line.add("external_symbolizer_path: '").add(path).add("' cannot be executed");
    usage_error(line.text());
  }
  auto* symbolizer = new (symbolizer_storage) LlvmSymbolizer(options());
  the_reporter = new (reporter_storage) Reporter(facts, *symbolizer, options());
}

bool race_found(const Race& race) {
  return the_reporter->race_found(race);
}
bool finding(const Finding& f) {
  return the_reporter->finding(f);
}
void complain(Text what, Pc caller) {
  the_reporter->complain(what, caller);
}
Counts counts() {
  return the_reporter->counts();
}
void history_given_up() {
  the_reporter->history_given_up();
}
int finish(int wanted) {
  return the_reporter->finish(wanted);
}
void modules_changing() {
  the_reporter->modules_changing();
}
void before_fork() {
  the_reporter->before_fork();
}
void after_fork_parent() {
  the_reporter->after_fork_parent();
}
void after_fork_child() {
  the_reporter->after_fork_child();
}

}  // namespace bigfoot::rt::report
