/* Counts the instructions that a program executes between its own marks, by single steps.
 *
 *   step_count REPORT COMMAND [ARGUMENT...]
 *
 * A mark is an int3 on the main thread, with a number in rax. Every second one ends what the one before has
 * begun; for each such pair a line with the number and the instructions in between goes to REPORT. The count is
 * exact and the same in every run, on machines without hardware counters and under tools that valgrind does
 * not run, at some microseconds for an instruction. A rep instruction counts once for each repetition, and
 * what the kernel does does not count. Other threads are not traced.
 *
 * Its exit code is the command's; 127 if it could not be started or ended by a signal.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kFailed = 127 };

static int fail(const char* what) {
  fprintf(stderr, "step_count: %s: %s\n", what, strerror(errno));
  return kFailed;
}

/* Only int3 comes from the kernel itself; steps and signals that were sent have other codes. */
static bool is_mark(pid_t child) {
  siginfo_t info;
  return ptrace(PTRACE_GETSIGINFO, child, NULL, &info) == 0 && info.si_code == SI_KERNEL;
}

static unsigned long long number_of_mark(pid_t child) {
  struct user_regs_struct registers;
  return ptrace(PTRACE_GETREGS, child, NULL, &registers) == 0 ? registers.rax : 0;
}

/* Returns the command's exit code. */
static int count(pid_t child, FILE* out) {
  bool stepping = false;
  unsigned long long steps = 0;
  int status, deliver = 0;
  for (;;) {
    if (ptrace(stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, (void*)(long)deliver) != 0 &&
        errno != ESRCH)
      return fail("ptrace");
    if (waitpid(child, &status, __WALL) < 0) return fail("waitpid");
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) {
      fprintf(stderr, "step_count: the program was ended by signal %d\n", WTERMSIG(status));
      return kFailed;
    }
    const bool is_exec = status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8));
    deliver = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (deliver != 0 || is_exec) continue;
    if (!is_mark(child)) {
      ++steps;
      continue;
    }
    /* The mark itself was a step. */
    if (stepping) fprintf(out, "%llu %llu\n", number_of_mark(child), steps);
    fflush(out);
    stepping = !stepping;
    steps = 0;
  }
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: step_count REPORT COMMAND [ARGUMENT...]\n");
    return 2;
  }
  FILE* out = fopen(argv[1], "w");
  if (out == NULL) return fail(argv[1]);
  const pid_t child = fork();
  if (child < 0) return fail("fork");
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(fail("ptrace"));
    execvp(argv[2], argv + 2);
    _exit(fail(argv[2]));
  }
  int status;
  if (waitpid(child, &status, 0) < 0) return fail("waitpid");
  if (!WIFSTOPPED(status)) return kFailed; /* it has said why */
  if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void*)(long)(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)) != 0)
    return fail("ptrace");
  const int exit_code = count(child, out);
  if (fclose(out) != 0) return fail(argv[1]);
  return exit_code;
}
