#include "runtime/report/frame_filter.h"

namespace bigfoot::rt::report {
namespace {

// "bigfoot::rt::f()", but also "void* bigfoot::rt::f<int>(int)": templates show what they return.
// Names that only have one of our types among their arguments are the program's.
bool is_ours(Text function) {
  constexpr const char* kNamespace = "bigfoot::rt::";
  for (Text rest = function; !rest.empty() && rest[0] != '(' && rest[0] != '<';) {
    if (rest.starts_with(kNamespace)) return true;
    while (!rest.empty() && rest[0] != ' ' && rest[0] != '(' && rest[0] != '<')
      rest = rest.drop_front(1);
    while (!rest.empty() && rest[0] == ' ') rest = rest.drop_front(1);
  }
  return function.starts_with("__bf_");
}

bool is_run_time(const ResolvedPc& pc) {
  return is_ours(pc.frames[pc.frame_count - 1].function);
}

// Functions of the C and C++ libraries that start programs and threads.
constexpr const char* kStarters[] = {
    "_start",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_call_main",
    "start_thread",
    "clone",
    "__clone",
    "clone3",
    "__clone3",
    "_dl_init",
    "call_init",
    "_dl_start_user",
    "__libc_csu_init",
    "execute_native_thread_routine",
};

// libstdc++ has no symbol for the function that runs a std::thread.
bool is_library(Text name) {
  return name.starts_with("libstdc++.so") || name.starts_with("libc.so") ||
         name.starts_with("libpthread") || name.starts_with("ld-linux");
}

bool is_starter(const ResolvedPc& pc) {
  const Text function = pc.frames[pc.frame_count - 1].function;
  if (function.empty()) return pc.at.module != nullptr && is_library(pc.at.module->name());
  for (const char* name : kStarters)
    if (function == name || (function.starts_with(name) && function[length(name)] == '@'))
      return true;
  return is_run_time(pc);
}

}  // namespace

ResolvedStack trimmed(ResolvedStack stack) {
  u32 first = 0, last = stack.count;
  while (first < last && is_run_time(*stack.pcs[first])) ++first;
  while (last > first && is_starter(*stack.pcs[last - 1])) --last;
  if (first == last) return stack;
  // What was cut off below was cut on purpose: a truncated stack has lost frames of the program
  // only if none of the starters was seen.
  const bool truncated = stack.truncated && last == stack.count;
  const bool* recursive = stack.recursive == nullptr ? nullptr : stack.recursive + first;
  return {stack.pcs + first, last - first, truncated, recursive};
}

}  // namespace bigfoot::rt::report
