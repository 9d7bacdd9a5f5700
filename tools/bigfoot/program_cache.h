// Programs `bigfoot run` has compiled before, so that running one again starts at once.
//
// Two steps, as compiler caches do it. The recipe (command, folder, environment) names a list of
// the files the last compile of that recipe read: sources, headers, libraries, the plugin, the run
// time. The recipe together with the present contents of those files names the program.
//
//   <folder>/<recipe>.deps             one path per line
//   <folder>/<recipe+contents>/<name>  the program
//   <folder>/new-XXXXXX/               a compile under way
//
// Everything becomes visible by rename, so that concurrent runs see a whole entry or none. Not
// seen: a header that appears in a folder searched earlier than where it was found.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bigfoot::tool {

// FNV-1a over length-prefixed fields. 64 bits: among a million programs two collide with a chance
// of about 3 in 100 million, and the price is running a stale one.
class ContentHash {
 public:
  void add(std::string_view field);
  std::string hex() const;

 private:
  void mix(std::string_view bytes);
  std::uint64_t state_ = 0xcbf29ce484222325;
};

using Paths = std::vector<std::filesystem::path>;

class ProgramCache {
 public:
  // `folder` is created when the first program is stored.
  explicit ProgramCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The program of this recipe, if no file it was made from has changed.
  std::optional<std::filesystem::path> find(const std::string& recipe,
                                            const std::string& name) const;

  // A fresh folder to compile in. Throws std::filesystem::filesystem_error.
  std::filesystem::path new_folder() const;

  // Takes over `scratch` (from new_folder, holding the program `name`); returns where the program
  // is now. Throws std::filesystem::filesystem_error.
  std::filesystem::path store(const std::string& recipe, const std::string& name,
                              const Paths& read_files, const std::filesystem::path& scratch) const;

  // Removes what has not been used for `days`.
  void forget_older_than(int days) const;

 private:
  std::filesystem::path list_of(const std::string& recipe) const {
    return folder_ / (recipe + ".deps");
  }

  std::filesystem::path folder_;
};

// $XDG_CACHE_HOME/bigfoot/run, $HOME/.cache/bigfoot/run, or a folder of the user's own in /tmp.
std::filesystem::path user_cache_folder();

}  // namespace bigfoot::tool
