#include "tools/report/source_files.h"

#include <fstream>

namespace bigfoot::report {
namespace fs = std::filesystem;
namespace {

// A generated file of this size is nothing a person reads, and the page would carry it.
constexpr std::uintmax_t kLargest = std::uintmax_t{16} << 20;

std::optional<std::vector<std::string>> read_lines(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > kLargest) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

fs::path SourceFiles::locate(std::string_view name) const {
  for (const auto& [from, to] : mapped_)
    if (name.starts_with(from)) return to + std::string(name.substr(from.size()));
  const fs::path path(name);
  return path.is_absolute() ? path : root_ / path;
}

std::string SourceFiles::display_name(std::string_view name) const {
  const fs::path path = locate(name).lexically_normal();
  const fs::path relative = path.lexically_relative(root_);
  const bool below = !relative.empty() && *relative.begin() != ".." && relative != ".";
  return below ? relative.string() : path.string();
}

const std::vector<std::string>* SourceFiles::lines(std::string_view name) {
  auto found = files_.find(name);
  if (found == files_.end())
    found = files_.emplace(std::string(name), read_lines(locate(name))).first;
  return found->second ? &*found->second : nullptr;
}

std::size_t SourceFiles::utf16_column(std::string_view name, std::size_t line, std::size_t column) {
  const auto* all = lines(name);
  if (all == nullptr || line == 0 || line > all->size()) return column;
  const std::string& text = (*all)[line - 1];
  std::size_t units = 1;
  for (std::size_t i = 0; i + 1 < column; ++i) {
    const auto byte = i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    const bool continues = (byte & 0xc0) == 0x80;
    units += continues ? 0 : byte >= 0xf0 ? 2 : 1;  // beyond the first plane: a surrogate pair
  }
  return units;
}

}  // namespace bigfoot::report
