#include "tools/driver/response_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

namespace bigfoot::driver {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return std::nullopt;
  return text;
}

void expand(const std::vector<std::string>& arguments, std::vector<std::string>& open_files,
            ExpandedArguments& result) {
  for (const std::string& argument : arguments) {
    const bool names_file = argument.size() > 1 && argument.front() == '@';
    const std::string path = names_file ? argument.substr(1) : std::string();
    const bool recursive = std::ranges::find(open_files, path) != open_files.end();
    const auto text = names_file && !recursive ? read_file(path) : std::nullopt;
    if (!text) {
      result.arguments.push_back(argument);
      continue;
    }
    result.used_response_file = true;
    open_files.push_back(path);
    expand(split_arguments(*text), open_files, result);
    open_files.pop_back();
  }
}

}  // namespace

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> arguments;
  std::string current;
  bool in_argument = false;  // tells an empty argument ('') from none
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      current += text[++i];
      in_argument = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        current += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_argument = true;
    } else if (kBlanks.find(c) == std::string_view::npos) {
      current += c;
      in_argument = true;
    } else if (in_argument) {
      arguments.push_back(std::move(current));
      current.clear();
      in_argument = false;
    }
  }
  if (in_argument) arguments.push_back(std::move(current));
  return arguments;
}

std::string quote_argument(std::string_view argument) {
  std::string quoted = "\"";
  for (const char c : argument) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

ExpandedArguments expand_response_files(const std::vector<std::string>& arguments) {
  ExpandedArguments result;
  std::vector<std::string> open_files;
  expand(arguments, open_files, result);
  return result;
}

}  // namespace bigfoot::driver
