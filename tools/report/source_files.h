// Source files as the reports name them: where they are now, and their lines.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bigfoot::report {

class SourceFiles {
 public:
  // `root`: what names in SARIF and on the page are relative to. `mapped`: prefixes that were
  // something else where the program was compiled, as pairs of old and new.
  SourceFiles(std::filesystem::path root, std::vector<std::pair<std::string, std::string>> mapped)
      : root_(std::move(root)), mapped_(std::move(mapped)) {}

  const std::filesystem::path& root() const { return root_; }
  // Where the file should be on this machine.
  std::filesystem::path locate(std::string_view name) const;
  // Relative to the root if it lies below, otherwise as it is.
  std::string display_name(std::string_view name) const;
  // Its lines without line ends, or null if it cannot be read. Valid as long as this object.
  const std::vector<std::string>* lines(std::string_view name);
  // A column as compilers count (bytes) in UTF-16 code units; the same number if the line is not
  // known. Lines and columns start at 1.
  std::size_t utf16_column(std::string_view name, std::size_t line, std::size_t column);

 private:
  std::filesystem::path root_;
  std::vector<std::pair<std::string, std::string>> mapped_;
  std::map<std::string, std::optional<std::vector<std::string>>, std::less<>> files_;
};

}  // namespace bigfoot::report
