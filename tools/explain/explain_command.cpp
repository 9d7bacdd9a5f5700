// bigfoot explain: compile a file, throw the object away, show what was recorded.
#include "tools/explain/explain_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "tools/bigfoot/child.h"
#include "tools/driver/command_line.h"
#include "tools/driver/response_file.h"
#include "tools/driver/toolchain.h"
#include "tools/explain/html_page.h"
#include "tools/explain/proxies_page.h"
#include "tools/explain/record.h"
#include "tools/explain/text_page.h"

namespace bigfoot::tool {
namespace fs = std::filesystem;
namespace {

constexpr const char* kExamples =
    "Options that are not listed above are the compiler's, with -O2 -g as defaults:\n"
    "  bigfoot explain points.cpp\n"
    "  bigfoot explain -O1 -std=c++20 -Iinclude points.cpp\n"
    "  bigfoot explain --html points.html points.cpp\n"
    "  bigfoot explain --proxies points.cpp main.cpp\n"
    "  bigfoot explain points.json        (a record that --bigfoot-explain= has written)\n"
    "  bigfoot explain build-dir          (all of a build with --bigfoot-explain=build-dir)";

// -O2, because this is about what the optimising build checks; -g for the names of variables.
// -fstandalone-debug for the members of types that are defined elsewhere.
constexpr const char* kDefaultOptions[] = {"-O2", "-g", "-fstandalone-debug"};

int explain_failure(const std::string& message, int code) {
  return fail("explain", message, code);
}

// A folder that is gone with this object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "bigfoot-explain-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw fs::filesystem_error("mkdtemp", name, std::error_code(errno, std::generic_category()));
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::optional<std::vector<std::string>> lines_of(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

// What to write: the text on stdout, or one page per source into this file or folder.
struct Form {
  fs::path html;
  bool proxies = false;  // which fields share a location, instead of the source
};

int write_page(const fs::path& to, const std::string& page) {
  std::ofstream stream(to, std::ios::binary);
  stream << page;
  stream.close();
  if (stream) return 0;
  return explain_failure("can not write " + to.string() + ": " + std::strerror(errno), 1);
}

int show_source(const explain::Record& record, const Form& form) {
  const auto lines = lines_of(record.source_path());
  if (!lines)
    return explain_failure(
        "can not read the source " + record.source_path().string() + ": " + std::strerror(errno),
        1);
  if (form.html.empty()) {
    std::cout << explain::text_page(record, *lines);
    return 0;
  }
  fs::path to = form.html;
  if (fs::is_directory(to)) to /= record.source_path().filename().string() + ".html";
  return write_page(to, explain::html_page(record, *lines));
}

// What was recorded, file by file or, for proxies, of all of them together.
int show(const std::vector<explain::Record>& records, const Form& form) {
  if (form.proxies) {
    std::cout << explain::proxies_page(records);
    return 0;
  }
  int result = 0;
  for (const explain::Record& r : records) result = std::max(result, show_source(r, form));
  return result;
}

// Adds a record to the others.
int read(const fs::path& file, std::vector<explain::Record>& records) {
  auto read = explain::read_record(file);
  if (const auto* wrong = std::get_if<explain::Unreadable>(&read))
    return explain_failure(file.string() + ": " + wrong->message, 1);
  records.push_back(std::get<explain::Record>(std::move(read)));
  return 0;
}

// The arguments with `input` as the only file.
Arguments for_one_file(const Arguments& arguments, const driver::CommandLine& command,
                       const driver::Input& input, const fs::path& scratch) {
  Arguments result(std::begin(kDefaultOptions), std::end(kDefaultOptions));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool other =
        i != input.position &&
        std::ranges::find(command.inputs, i, &driver::Input::position) != command.inputs.end();
    if (!other) result.push_back(arguments[i]);
  }
  // Without LTO: the file as it is on its own, and at once.
  result.insert(result.end(), {"--bigfoot-explain=" + (scratch / "record.json").string(),
                               "-fno-lto", "-c", "-o", scratch / "object.o"});
  return result;
}

int compile(const Arguments& arguments, const driver::CommandLine& command,
            const driver::Input& input, std::vector<explain::Record>& records) {
  const ScratchFolder scratch;
  const bool is_c = input.language == "c" || (input.language.empty() && input.path.ends_with(".c"));
  const fs::path compiler =
      driver::own_executable().parent_path() / (is_c ? "bigfoot-clang" : "bigfoot-clang++");
  const int result = run_child(compiler, for_one_file(arguments, command, input, scratch.path()),
                               {}, "bigfoot: compiling " + input.path);
  if (result < 0)
    return explain_failure("can not run " + compiler.string() + ": " + std::strerror(errno),
                           kNotFound);
  return result == 0 ? read(scratch.path() / "record.json", records) : result;
}

int explain_files(const Arguments& arguments, const Form& form) {
  const driver::Environment environment = [](const char* name) { return std::getenv(name); };
  const auto parsed = driver::parse_command_line(arguments, environment);
  if (const auto* refusal = std::get_if<driver::Refusal>(&parsed))
    return explain_failure(refusal->message, kUsageError);
  const auto& command = std::get<driver::CommandLine>(parsed);
  if (command.inputs.empty())
    return explain_failure("no file to explain (see: bigfoot explain --help)", kUsageError);
  if (command.inputs.size() > 1 && !form.html.empty()) fs::create_directories(form.html);
  std::vector<explain::Record> all;
  for (const driver::Input& input : command.inputs) {
    const int result = input.path.ends_with(".json") ? read(input.path, all)
                                                     : compile(arguments, command, input, all);
    if (result != 0) return result;
  }
  return show(all, form);
}

// The records that a build with --bigfoot-explain=FOLDER has left there.
int explain_folder(const fs::path& folder, const Form& form) {
  std::vector<fs::path> records;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") records.push_back(entry.path());
  if (records.empty())
    return explain_failure(folder.string() + " has no records: build with --bigfoot-explain=" +
                               fs::absolute(folder).string(),
                           1);
  std::ranges::sort(records);
  if (!form.html.empty()) fs::create_directories(form.html);
  int result = 0;
  std::vector<explain::Record> all;
  for (const fs::path& record : records) result = std::max(result, read(record, all));
  return all.empty() ? result : std::max(result, show(all, form));
}

}  // namespace

int explain_command(const Arguments& arguments) {
  CLI::App app("Show a source file with its race checks where they ended up.", "bigfoot explain");
  app.set_help_flag("--help", "print this");
  app.allow_extras();
  app.footer(kExamples);
  std::string detector;
  app.add_option("--detector", detector,
                 "which detector to compile for (default: $BIGFOOT_DETECTOR or bigfoot)");
  Form form;
  app.add_option("--html", form.html,
                 "write a page to this file (or, if it is a folder, one per source into it)");
  app.add_flag(
      "--proxies", form.proxies,
      "list which fields of each type share one shadow location in a program of these files, "
      "and what keeps others apart");
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    return explain_failure(error.what(), kUsageError);
  }
  Arguments rest = driver::expand_response_files(app.remaining()).arguments;
  if (!detector.empty()) rest.insert(rest.begin(), "--detector=" + detector);
  try {
    const bool folder = rest.size() == 1 && fs::is_directory(rest.front());
    return folder ? explain_folder(rest.front(), form) : explain_files(rest, form);
  } catch (const fs::filesystem_error& error) {
    return explain_failure(error.what(), kNotFound);
  }
}

}  // namespace bigfoot::tool
