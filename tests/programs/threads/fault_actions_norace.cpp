// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// Faults are the program's: it sees the default action where it has set none, gets back what it
// has set, and its handler runs, on whatever thread the fault is.
#include <setjmp.h>
#include <signal.h>

#include "spawn.h"

sigjmp_buf back;
volatile sig_atomic_t handled;

void on_fault(int signal) {
  handled = handled + 1;
  siglongjmp(back, signal);
}

void fault_once() {
  int* volatile nowhere = nullptr;
  if (sigsetjmp(back, 1) == 0) *nowhere = 1;
}

int main() {
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (int fault : faults) {
    struct sigaction now = {}, mine = {};
    require(sigaction(fault, nullptr, &now) == 0);
    require(now.sa_handler == SIG_DFL && now.sa_flags == 0);
    mine.sa_handler = on_fault;
    require(sigaction(fault, &mine, &now) == 0);
    require(now.sa_handler == SIG_DFL && now.sa_flags == 0);
    require(signal(fault, SIG_DFL) == on_fault);
    require(signal(fault, SIG_IGN) == SIG_DFL);
    require(signal(fault, SIG_DFL) == SIG_IGN);
  }
  require(signal(SIGSEGV, on_fault) == SIG_DFL);
  fault_once();
  require(handled == 1);
  run_threads(fault_once);
  require(handled == 2);
}
