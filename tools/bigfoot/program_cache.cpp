#include "tools/bigfoot/program_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace bigfoot::tool {
namespace fs = std::filesystem;
namespace {

// Above this size (libraries, the plugin) size and time stand for the contents.
constexpr std::uintmax_t kHashedWhole = 1u << 20;

void add_file(ContentHash& hash, const fs::path& path) {
  hash.add(path.string());
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    hash.add("absent");
    return;
  }
  if (!S_ISREG(status.st_mode) || static_cast<std::uintmax_t>(status.st_size) > kHashedWhole) {
    hash.add(std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
             std::to_string(status.st_mtim.tv_nsec));
    return;
  }
  std::string contents(static_cast<std::size_t>(status.st_size), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(contents.data(), status.st_size);
  contents.resize(static_cast<std::size_t>(file.gcount()));
  hash.add(contents);
}

std::string program_key(const std::string& recipe, const Paths& read_files) {
  ContentHash hash;
  hash.add(recipe);
  for (const fs::path& file : read_files) add_file(hash, file);
  return hash.hex();
}

std::optional<Paths> read_list(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  Paths list;
  for (std::string line; std::getline(file, line);) list.emplace_back(line);
  return list;
}

[[noreturn]] void throw_error(const char* what, const fs::path& path) {
  throw fs::filesystem_error(what, path, std::error_code(errno, std::generic_category()));
}

void write_list(const fs::path& path, const Paths& list) {
  std::ofstream file(path);
  for (const fs::path& entry : list) file << entry.string() << '\n';
  file.close();
  if (!file) throw_error("can not write", path);
}

}  // namespace

void ContentHash::mix(std::string_view bytes) {
  for (const char byte : bytes) {
    state_ ^= static_cast<unsigned char>(byte);
    state_ *= 0x100000001b3;
  }
}

void ContentHash::add(std::string_view field) {
  mix(std::to_string(field.size()) + ":");
  mix(field);
}

std::string ContentHash::hex() const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(state_ >> shift) & 15];
  return text;
}

std::optional<fs::path> ProgramCache::find(const std::string& recipe,
                                           const std::string& name) const {
  const auto read_files = read_list(list_of(recipe));
  if (!read_files) return std::nullopt;
  const fs::path entry = folder_ / program_key(recipe, *read_files);
  if (access((entry / name).c_str(), X_OK) != 0) return std::nullopt;
  // Mark both as used; failing to is no reason not to run.
  std::error_code ignored;
  for (const fs::path& used : {entry, list_of(recipe)}) {
    fs::last_write_time(used, fs::file_time_type::clock::now(), ignored);
  }
  return entry / name;
}

fs::path ProgramCache::new_folder() const {
  fs::create_directories(folder_);
  std::string pattern = (folder_ / "new-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw_error("can not create", pattern);
  return pattern;
}

fs::path ProgramCache::store(const std::string& recipe, const std::string& name,
                             const Paths& read_files, const fs::path& scratch) const {
  const fs::path entry = folder_ / program_key(recipe, read_files);
  const fs::path list = scratch / "deps";
  write_list(list, read_files);
  fs::rename(list, list_of(recipe));
  std::error_code error;
  fs::rename(scratch, entry, error);
  // Someone stored the same program first: theirs is as good.
  if (error && access((entry / name).c_str(), X_OK) != 0) {
    throw fs::filesystem_error("can not store the program", scratch, entry, error);
  }
  if (error) fs::remove_all(scratch, error);
  return entry / name;
}

void ProgramCache::forget_older_than(int days) const {
  const auto limit = fs::file_time_type::clock::now() - std::chrono::days(days);
  std::error_code error;
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.last_write_time(error) < limit && !error) old.push_back(entry.path());
  }
  for (const fs::path& path : old) fs::remove_all(path, error);
}

fs::path user_cache_folder() {
  const auto from_variable = [](const char* name, const char* below) -> std::optional<fs::path> {
    const char* value = std::getenv(name);
    if (value == nullptr || *value != '/') return std::nullopt;
    return fs::path(value) / below / "bigfoot" / "run";
  };
  if (const auto folder = from_variable("XDG_CACHE_HOME", "")) return *folder;
  if (const auto folder = from_variable("HOME", ".cache")) return *folder;
  return fs::path("/tmp") / ("bigfoot-" + std::to_string(getuid())) / "run";
}

}  // namespace bigfoot::tool
