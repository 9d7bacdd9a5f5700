#include "tools/bigfoot/child.h"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

namespace bigfoot::tool {
namespace {

constexpr int kSilentMilliseconds = 1000;

// The null-terminated array of pointers exec wants; valid as long as `strings` is.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> with_program(const std::filesystem::path& program,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {program.string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view entry = *variable;
    bool replaced = false;
    for (const auto& [name, value] : variables) replaced |= entry.starts_with(name + "=");
    if (!replaced) all.emplace_back(entry);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

// True when the process is still running after `milliseconds`. Without pidfd (a kernel older
// than 5.3) there is no telling: say no, and be silent.
bool runs_longer_than(pid_t process, int milliseconds) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return false;
  pollfd poll_entry = {.fd = handle, .events = POLLIN, .revents = 0};
  const int ready = poll(&poll_entry, 1, milliseconds);
  close(handle);
  return ready == 0;
}

}  // namespace

int run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
              const Variables& variables, const std::string& progress) {
  const std::vector<std::string> command = with_program(program, arguments);
  const std::vector<std::string> environment = environment_with(variables);
  pid_t process = 0;
  const int error = posix_spawn(&process, program.c_str(), nullptr, nullptr,
                                pointers_to(command).data(), pointers_to(environment).data());
  if (error != 0) {
    errno = error;
    return -1;
  }
  if (runs_longer_than(process, kSilentMilliseconds)) std::cerr << progress << std::endl;
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void become_program(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments) {
  execv(program.c_str(), pointers_to(with_program(program, arguments)).data());
}

}  // namespace bigfoot::tool
