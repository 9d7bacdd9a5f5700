// A server as a program of the benchmark: it runs in this process, and a helper beside the
// executable, which no detector watches, asks it over a unix socket (load.h), checks its answers,
// says what they were worth and ends it.
//
// The server is the process that is started and measured, so that its time, its peak of memory and
// its end are those of the program, also under tools that do not follow children. At exit the
// helper's end is waited for, but its remains are left to whoever takes orphans: what a process has
// waited for counts in its own peak of memory (it is the larger of both) and processor time. If the
// helper fails, so does the program, at once: a server that no longer answers would not end by
// itself.
#pragma once

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/real/common/scratch_folder.h"

namespace bench {

// The variable that tells the helper where the server listens.
inline constexpr const char* kSocketVariable = "BENCH_SOCKET";

class HelperProcess {
 public:
  // There is one; what handlers do needs no more.
  static void start(char** argv) {
    struct sigaction action {};
    action.sa_sigaction = on_child;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP;
    sigaction(SIGCHLD, &action, nullptr);
    const std::string path = std::filesystem::read_symlink("/proc/self/exe").string() + ".helper";
    require(access(path.c_str(), X_OK) == 0, path.c_str(), "not there");
    // It may fail before its number is known here.
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    pid_t started = -1;
    const int error = posix_spawn(&started, path.c_str(), nullptr, nullptr, argv, environ);
    require(error == 0, path.c_str(), std::strerror(error));
    pid_ = started;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    on_exit(at_exit, nullptr);
  }

 private:
  static void on_child(int, siginfo_t* info, void*) {
    if (info->si_pid != pid_) return;
    if (info->si_code != CLD_EXITED) {
      constexpr std::string_view kWords = "the load was ended by a signal\n";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kWords.data(), kWords.size());
      _exit(3);
    }
    if (info->si_status != 0) _exit(info->si_status);  // it has said why
  }

  // Of a server that gave up, nobody will have an answer.
  static void at_exit(int status, void*) {
    if (status != 0) kill(pid_, SIGKILL);
    siginfo_t ended;
    while (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
  }

  static inline volatile sig_atomic_t pid_ = -1;
};

// Runs the server. `arguments` are its command line, given the path of the socket and the number of
// threads.
inline int serve(int argc, char** argv, const char* name, int (*server_main)(int, char**),
                 std::vector<std::string> (*arguments)(const std::string& socket, int threads)) {
  const auto options = parse_options(argc, argv);
  if (!options) return program_main(argc, argv, name, nullptr);  // says what is right
  static const ScratchFolder folder;  // removed at exit, after the helper has ended
  const std::string socket = folder.file("socket");
  setenv(kSocketVariable, socket.c_str(), 1);
  HelperProcess::start(argv);
  static std::vector<std::string> words;
  words = arguments(socket, options->threads);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return server_main(static_cast<int>(words.size()), pointers.data());
}

}  // namespace bench
