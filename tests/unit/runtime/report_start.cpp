// A whole process with the report part started as in real programs: before the C library has set up
// anything, from .preinit_array. Built with and without PIE and run by report_program_test.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "runtime/report/report.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::report;

int shared_array[16];

namespace {

Pc pcs[3];

class TwoThreads final : public Facts {
 public:
  void stack(Origin origin, Stack& out) const override {
    out.count = 1;
    out.pcs[0] = pcs[raw(origin) - 1];
  }
  ThreadFacts thread(ThreadId id) const override {
    ThreadFacts t;
    t.id = id;
    t.creator = kMainThread;
    return t;
  }
  ObjectFacts object(uptr) const override { return {}; }
  usize locks(LocksetId, HeldLock*) const override { return 0; }
  u32 steps(ThreadId, SyncStep*, u64&) const override { return 0; }
  uptr previous_begin(const Race& race) const override { return race.previous.address; }
  Origin lock_created(uptr) const override { return kNoOrigin; }
};

void start(int, char**, char**) {
  static const TwoThreads facts;
  initialise(facts);
}

}  // namespace

__attribute__((section(".preinit_array"), used)) void (*start_first)(int, char**, char**) = start;

__attribute__((noinline)) Pc here() {
  return reinterpret_cast<Pc>(__builtin_return_address(0));
}
__attribute__((noinline)) Pc writer_function() {
  Pc pc = here();
  asm volatile("" : "+r"(pc));
  return pc;
}

// With an argument: the plugin whose function is the second access, closed before the report.
int main(int argc, char** argv) {
  pcs[0] = pcs[1] = writer_function();
  if (argc == 2) {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (library == nullptr) return 99;
    modules_changing();
    pcs[1] = reinterpret_cast<Pc>(dlsym(library, "plugin_function")) + 2;
    modules_changing();
    dlclose(library);
  }
  const uptr element = reinterpret_cast<uptr>(&shared_array[3]);
  Race race;
  race.current = {AccessKind::kWrite, element, 4, ThreadId{1}, Origin{1}};
  race.previous = {AccessKind::kRead, element, 4, kMainThread, Origin{2}};
  race.overlap = {element, 4};
  race_found(race);
  return finish(0);
}
