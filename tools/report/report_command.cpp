// bigfoot report: reads the JSON reports of any number of runs and writes them for people and
// machines.
#include "tools/report/report_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "tools/bigfoot/command.h"
#include "tools/report/loader.h"
#include "tools/report/outputs.h"
#include "tools/report/progress.h"

namespace bigfoot::tool {
namespace fs = std::filesystem;
namespace {

constexpr int kBadInput = 1;
constexpr int kRacesFound = 66;
constexpr std::size_t kShownProblems = 20;

constexpr const char* kExamples =
    "FILEs are what json_path=FILE made a program write. Without an output option: text on "
    "stdout.\n"
    "  BIGFOOT_OPTIONS=json_path=races.json ./program\n"
    "  bigfoot report races.json\n"
    "  bigfoot report shard-*.json --html races.html --sarif races.sarif --junit races.xml\n"
    "A record that cannot be read is named on stderr and left out; the exit code is then 1.\n"
    "Options to a program for cheap records without names: json_path=FILE:symbolize=0";

struct Output {
  const char* option;
  const char* help;
  void (*write)(const report::Collection&, const report::Setting&, std::ostream&);
};
constexpr std::array kOutputs = {
    Output{"--text", "write text", report::write_text},
    Output{"--html", "write one self-contained page", report::write_html},
    Output{"--sarif", "write SARIF 2.1.0, for code scanning", report::write_sarif},
    Output{"--junit", "write JUnit XML, for CI servers", report::write_junit},
    Output{"--gen-suppressions", "write a suppression for each race", report::write_suppressions},
    Output{"--json", "write JSON lines again, merged and symbolised", report::write_json_lines},
};

struct Request {
  std::vector<std::string> files;
  std::array<std::string, kOutputs.size()> paths;
  std::vector<std::string> mapped;
  std::string source_root;
  std::string suppressions;
  std::string strip_path_prefix;
  std::string until;
  bool unused_suppressions = false;
  bool no_symbolize = false;
  bool fail = false;
};

void declare(CLI::App& app, Request& request) {
  app.footer(kExamples);
  app.add_option("FILE", request.files, "JSON reports")->required();
  for (std::size_t i = 0; i < kOutputs.size(); ++i)
    app.add_option(kOutputs[i].option, request.paths[i],
                   std::string(kOutputs[i].help) + " to this file; - is stdout");
  app.add_option("--suppressions", request.suppressions, "leave out what this file suppresses");
  app.add_flag("--unused-suppressions", request.unused_suppressions,
               "list those of the file that hid nothing, here or in the runs");
  app.add_option("--until", request.until,
                 "YYYY-MM-DD: the day after which generated suppressions end");
  app.add_option("--source-root", request.source_root,
                 "folder that names of sources are relative to (default: the current one)");
  app.add_option("--path-map", request.mapped,
                 "OLD=NEW: sources compiled below OLD are now below NEW");
  app.add_option("--strip-path-prefix", request.strip_path_prefix,
                 "cut this from the front of names in text");
  app.add_flag("--no-symbolize", request.no_symbolize, "leave frames without names as they are");
  app.add_flag("--fail", request.fail, "exit code 66 if a report is left");
}

std::optional<std::vector<std::pair<std::string, std::string>>> path_map(
    const std::vector<std::string>& entries) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) return std::nullopt;
    pairs.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return pairs;
}

// The same for all spellings of a file.
fs::path whole_name(const std::string& path) {
  return path == "-" ? fs::path(path) : fs::weakly_canonical(path);
}

class ReportRun {
 public:
  explicit ReportRun(const Request& request) : request_(request) {}

  int run() {
    const auto mapped = path_map(request_.mapped);
    if (!mapped) return fail("report", "--path-map needs OLD=NEW", kUsageError);
    if (!request_.until.empty() &&
        !rt::report::is_day({request_.until.data(), request_.until.size()}))
      return fail("report", "--until needs a day as YYYY-MM-DD", kUsageError);
    if (const auto why = clash()) return fail("report", *why + "; name another file", kUsageError);
    if (!load_suppressions()) return kUsageError;
    read();
    load();
    report_problems();
    if (records_.reports.empty() && records_.ends.empty() && !records_.problems.empty())
      return kBadInput;
    const fs::path root =
        request_.source_root.empty() ? fs::current_path() : fs::absolute(request_.source_root);
    report::SourceFiles sources(root.lexically_normal(), *mapped);
    report::Setting setting{
        .options = {}, .sources = sources, .color = false, .until = request_.until};
    setting.options.strip_path_prefix = request_.strip_path_prefix.c_str();
    if (const int failed = write_outputs(setting)) return failed;
    list_suppressions();
    if (!records_.problems.empty()) return kBadInput;
    return request_.fail && collection_.visible() != 0 ? kRacesFound : 0;
  }

 private:
  // Why the outputs cannot all be written: one would replace what is read, or another one.
  std::optional<std::string> clash() const {
    std::map<fs::path, std::string> users;
    for (const std::string& path : request_.files) users.emplace(whole_name(path), "the input");
    for (std::size_t i = 0; i < kOutputs.size(); ++i) {
      const std::string& path = request_.paths[i];
      if (path.empty() || (fs::exists(path) && !fs::is_regular_file(path))) continue;  // /dev/null
      const auto [other, is_new] = users.emplace(whole_name(path), kOutputs[i].option);
      if (!is_new)
        return std::string(kOutputs[i].option) + " " + path + " would replace " + other->second;
    }
    return std::nullopt;
  }

  bool load_suppressions() {
    if (request_.suppressions.empty()) return true;
    rt::TextBuffer text, error;
    if (!rt::read_file(request_.suppressions.c_str(), text)) {
      fail("report", "cannot read the suppressions file " + request_.suppressions, kUsageError);
      return false;
    }
    if (suppressions_.parse(text.text(), request_.suppressions.c_str(), error)) return true;
    fail("report", report::view(error.text()), kUsageError);
    return false;
  }

  void read() {
    for (std::size_t i = 0; i < request_.files.size(); ++i) {
      progress_.tick([&] {
        return "reading " + request_.files[i] + " (file " + std::to_string(i + 1) + " of " +
               std::to_string(request_.files.size()) + ")";
      });
      report::read_file(request_.files[i], records_);
    }
  }

  void load() {
    report::Symbols symbols(arena_);
    report::Loader loader(arena_, request_.no_symbolize ? nullptr : &symbols);
    for (std::size_t i = 0; i < records_.reports.size(); ++i) {
      const report::Record& record = records_.reports[i];
      progress_.tick([&] {
        return "record " + std::to_string(i + 1) + " of " + std::to_string(records_.reports.size());
      });
      try {
        collection_.add(*loader.load(record.value), record.place);
      } catch (const report::BadRecord& error) {
        records_.problems.push_back({record.place, error.what()});
      }
    }
    for (const report::Record& end : records_.ends) collection_.add_end(end);
    for (const auto& [module, why] : symbols.unusable())
      std::cerr << "bigfoot report: warning: " << module << " " << why
                << "; its frames stay without names\n";
  }

  void report_problems() const {
    const auto& problems = records_.problems;
    for (std::size_t i = 0; i < problems.size() && i < kShownProblems; ++i)
      fail("report", report::to_string(problems[i]), kBadInput);
    if (problems.size() > kShownProblems)
      fail("report", std::to_string(problems.size() - kShownProblems) + " more bad records",
           kBadInput);
    if (!problems.empty() && collection_.records() != 0)
      std::cerr << "bigfoot report: the other " << collection_.records() << " records were kept\n";
  }

  // On stderr: stdout may be one of the outputs.
  void list_suppressions() const {
    rt::TextBuffer expired;
    suppressions_.list_expired(expired);
    std::cerr << report::view(expired.text());
    if (!request_.unused_suppressions) return;
    for (const auto* s = suppressions_.first(); s != nullptr; s = s->next) {
      const std::string text = std::string(report::view(rt::report::name_of(s->type))) + ":" +
                               std::string(report::view(s->pattern));
      if (s->hits != 0 || s->missed != 0 || collection_.hits_in_runs(text) != 0) continue;
      std::cerr << report::view(s->source) << ":" << s->line << ": unused: " << text << '\n';
    }
  }

  int write_outputs(const report::Setting& setting) {
    bool any = false;
    for (std::size_t i = 0; i < kOutputs.size(); ++i) {
      if (request_.paths[i].empty()) continue;
      any = true;
      if (const int failed = write_output(kOutputs[i], request_.paths[i], setting)) return failed;
    }
    return any ? 0 : write_output(kOutputs[0], "-", setting);
  }

  int write_output(const Output& output, const std::string& path, report::Setting setting) {
    setting.before_entry = [&](std::size_t number, std::size_t of) {
      progress_.tick([&] {
        return "writing " + path + ": report " + std::to_string(number) + " of " +
               std::to_string(of);
      });
    };
    if (path == "-") {
      setting.color = isatty(STDOUT_FILENO) != 0;
      output.write(collection_, setting, std::cout);
      std::cout.flush();
      return std::cout ? 0 : fail("report", "cannot write to stdout", kBadInput);
    }
    std::ofstream file(path, std::ios::binary);
    if (file) output.write(collection_, setting, file);
    file.close();
    if (file) return 0;
    return fail("report", "cannot write " + path + ": " + std::strerror(errno), kBadInput);
  }

  const Request& request_;
  report::Progress progress_{"bigfoot report"};
  report::Arena arena_;
  report::Records records_;
  rt::Keeper keeper_;
  rt::report::Suppressions suppressions_{keeper_};
  report::Collection collection_{&suppressions_};
};

}  // namespace

int report_command(const Arguments& arguments) {
  CLI::App app("Merges the reports of runs and writes them as text, page, SARIF or JUnit.",
               "bigfoot report");
  Request request;
  declare(app, request);
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail("report", std::string(error.what()) + " (see: bigfoot report --help)", kUsageError);
  }
  return ReportRun(request).run();
}

}  // namespace bigfoot::tool
