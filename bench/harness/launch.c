/* Runs one command and writes what it cost to a file, as JSON.
 *
 *   launch REPORT COMMAND [ARGUMENT...]
 *
 * It exists because Linux carries the peak resident size of a process over exec: a program started
 * straight from the harness would never show less than the harness's own size. This process is a page or
 * two, so that the peak reported is the program's own. The clock runs from fork to wait, here rather than
 * in the harness, so that no interpreter stands between.
 *
 * Instructions are those in user space, of the command and all that it starts, by the processor's counter. Where
 * there is none (many virtual machines) or it may not be read, they are null.
 *
 * What the command leaves behind comes here, and is waited for if it has ended: a server does not wait for its
 * load (real/common/server.h), and not every machine has a first process that does.
 *
 * Asked to end (SIGTERM), it ends the command and waits for it: nothing of it is left when this process is
 * gone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kCannotStart = 127 };

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A counter that this process passes on to its children, off until they exec: of this process it counts nothing.
   -1 if there is none. */
static int open_instruction_counter(void) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_HARDWARE,
      .size = sizeof attributes,
      .config = PERF_COUNT_HW_INSTRUCTIONS,
      .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
      .disabled = 1,
      .inherit = 1,
      .enable_on_exec = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* -1 if nothing was counted, or not all the time: others may use the processor's counters, too. */
static long long read_instructions(int counter) {
  struct {
    uint64_t count, enabled, running;
  } found;
  if (counter < 0 || read(counter, &found, sizeof found) != sizeof found) return -1;
  return found.enabled > 0 && found.running == found.enabled ? (long long)found.count : -1;
}

static int write_report(const char* path, double seconds, int status, const struct rusage* usage,
                        long long instructions) {
  FILE* out = fopen(path, "w");
  if (out == NULL) return -1;
  fprintf(out,
          "{\"seconds\": %.9f, \"user_seconds\": %.6f, \"system_seconds\": %.6f, "
          "\"peak_rss_bytes\": %lld, \"exit_code\": %d, \"signal\": %d, \"instructions\": ",
          seconds, seconds_of(usage->ru_utime), seconds_of(usage->ru_stime),
          (long long)usage->ru_maxrss * 1024, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  if (instructions < 0)
    fprintf(out, "null}\n");
  else
    fprintf(out, "%lld}\n", instructions);
  return fclose(out);
}

static volatile sig_atomic_t command; /* the child */

static void end_command(int signal_number) {
  (void)signal_number;
  kill((pid_t)command, SIGKILL);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: launch REPORT COMMAND [ARGUMENT...]\n");
    return 2;
  }
  /* Until the child is known there is nothing to end. */
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int counter = open_instruction_counter();
  const double begin = now();
  const pid_t child = fork();
  if (child < 0) {
    perror("launch: fork");
    return kCannotStart;
  }
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    execvp(argv[2], argv + 2);
    fprintf(stderr, "launch: %s: %s\n", argv[2], strerror(errno));
    _exit(kCannotStart);
  }
  command = child;
  signal(SIGTERM, end_command);
  sigprocmask(SIG_SETMASK, &before, NULL);
  int status = 0;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) {
      perror("launch: wait4");
      return kCannotStart;
    }
  }
  const double seconds = now() - begin;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
  if (write_report(argv[1], seconds, status, &usage, read_instructions(counter)) != 0) {
    perror("launch: report");
    return kCannotStart;
  }
  return 0;
}
