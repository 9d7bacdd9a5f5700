#include "tools/driver/toolchain.h"

#include <elf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <fstream>

namespace bigfoot::driver {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kClangSays = "clang version ";

// What `program --version` prints, at most a few kilobytes; nothing if it can not be run.
std::string version_text(const std::string& program) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    execlp(program.c_str(), program.c_str(), "--version", nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t n; child > 0 && (n = read(ends[0], part, sizeof part)) > 0;)
    if (text.size() < 4096) text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
  return ended && WEXITSTATUS(status) == 127 ? std::string() : text + '\n';
}

}  // namespace

Toolchain toolchain_of(const fs::path& program, RuntimeVariant variant) {
  const fs::path lib = program.parent_path().parent_path() / "lib";
  const std::string runtime =
      variant == RuntimeVariant::kChecking ? "libbigfoot_rt_check" : "libbigfoot_rt";
  return {.plugin = lib / "libbigfoot_pass.so",
          .runtime = lib / (runtime + ".a"),
          .exported_symbols = lib / (runtime + ".syms")};
}

fs::path own_executable() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

std::string clang_program(const Environment& environment) {
  const char* chosen = environment("BIGFOOT_CLANG");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  if (access(BIGFOOT_CONFIGURED_CLANG, X_OK) == 0) return BIGFOOT_CONFIGURED_CLANG;
  return "clang-" BIGFOOT_LLVM_MAJOR;
}

std::string wrong_clang(const std::string& program) {
  const std::string text = version_text(program);
  if (text.empty()) return {};
  const std::size_t found = text.find(kClangSays);
  if (found == std::string::npos) return "it is not clang";
  std::string major;
  for (std::size_t i = found + kClangSays.size();
       i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i)
    major += text[i];
  if (major == BIGFOOT_LLVM_MAJOR) return {};
  return "it is clang " + major + ", the plugin was built for clang " BIGFOOT_LLVM_MAJOR;
}

bool is_whole_object(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  Elf64_Ehdr header{};
  std::ifstream in(file, std::ios::binary);
  if (error || !in.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  const std::string_view magic(reinterpret_cast<const char*>(header.e_ident), SELFMAG);
  // The table of sections is what a linker writes last.
  return magic == ELFMAG && header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_shoff <= size &&
         std::uintmax_t{header.e_shnum} * header.e_shentsize <= size - header.e_shoff;
}

}  // namespace bigfoot::driver
