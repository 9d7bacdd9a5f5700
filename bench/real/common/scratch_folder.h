// A folder for the files of one run, removed with everything in it at the end.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace bench {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "bigfoot-bench-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      std::perror("mkdtemp");
      std::exit(3);
    }
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Ends the program if an operation of the library under test failed: there is nothing to measure
// then.
inline void require(bool ok, const char* what, const char* why = "") {
  if (ok) return;
  std::fprintf(stderr, "%s failed: %s\n", what, why);
  std::exit(3);
}

}  // namespace bench
