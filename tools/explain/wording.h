// How records are said in words; shared by the text and the page.
#pragma once

#include <string_view>

#include "tools/explain/record.h"

namespace bigfoot::explain {

// "1 check", "2 checks"
std::string counted(std::size_t n, const char* one, const char* many);
// "write of 8 bytes"
std::string what(const Access& access);
// What to write before a mark so that it stands below a column of `line`: a tab below a tab, a
// blank below any other character. Columns count bytes, from 1; what they count is not what is
// seen.
std::string indent_below(std::string_view line, unsigned column);

class Wording {
 public:
  // `lines`: how many the shown source has.
  Wording(const Record& record, std::size_t lines)
      : record_(record), source_(record.source_path()), lines_(lines) {}

  // The first frame in the file that is shown, or null.
  const Place* shown(const Position& position) const;
  // "12:5", with the file's name if it is another one.
  std::string name_of(const Place& place, bool with_column) const;
  std::string name_of(const Position& position) const;
  // What a check covers, which accesses it stands for and what held it.
  std::string described(const Function& function, const Check& check) const;
  // What became of an access; `numbers` are those of the function's checks on the page.
  std::string fate(const Function& function, const Access& access,
                   const std::vector<std::size_t>& numbers) const;

 private:
  std::string how(const Check& check, const Access& access, const Function& function) const;

  const Record& record_;
  std::filesystem::path source_;
  std::size_t lines_;
};

}  // namespace bigfoot::explain
