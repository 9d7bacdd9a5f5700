#include "tools/driver/toolchain.h"

#include <unistd.h>

namespace bigfoot::driver {
namespace fs = std::filesystem;

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

}  // namespace bigfoot::driver
