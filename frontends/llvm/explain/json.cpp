#include "frontends/llvm/explain/json.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <array>
#include <map>

namespace bigfoot::frontend::explain {
namespace {

using llvm::StringRef;
using llvm::json::OStream;

constexpr int kVersion = 1;

class Writer {
 public:
  explicit Writer(llvm::raw_ostream& out) : json_(out) {}

  void file(const std::string& source, StringRef detector, const std::vector<Function>& functions,
            const std::vector<Type>& types) {
    llvm::SmallString<128> directory;
    (void)llvm::sys::fs::current_path(directory);
    json_.object([&] {
      json_.attribute("format", "bigfoot-explain");
      json_.attribute("version", kVersion);
      json_.attribute("detector", detector);
      text("source", source);
      text("directory", std::string(directory));
      json_.attributeArray("functions", [&] {
        for (const Function& f : functions) function(f);
      });
      json_.attributeArray("types", [&] {
        for (const Type& t : types) type(t);
      });
      json_.attributeArray("files", [&] {
        for (const std::string* name : file_names_) json_.value(utf8(*name));
      });
    });
  }

 private:
  static std::string utf8(const std::string& s) {
    return llvm::json::isUTF8(s) ? s : llvm::json::fixUTF8(s);
  }
  void text(StringRef key, const std::string& value) { json_.attribute(key, utf8(value)); }
  void word(StringRef key, std::string_view value) {
    json_.attribute(key, StringRef(value.data(), value.size()));
  }

  std::int64_t file_index(const std::string& name) {
    const auto [it, fresh] = files_.try_emplace(name, file_names_.size());
    if (fresh) file_names_.push_back(&it->first);
    return static_cast<std::int64_t>(it->second);
  }

  void place(const Frame& f) {
    json_.attribute("file", file_index(f.file));
    json_.attribute("line", f.line);
  }
  void position(const Position& frames) {
    json_.attributeArray("position", [&] {
      for (const Frame& f : frames) {
        json_.object([&] {
          place(f);
          json_.attribute("column", f.column);
          text("function", f.function);
        });
      }
    });
  }
  void indexes(StringRef key, const std::vector<std::size_t>& list) {
    json_.attributeArray(key, [&] {
      for (std::size_t i : list) json_.value(static_cast<std::int64_t>(i));
    });
  }

  void function(const Function& f) {
    json_.object([&] {
      text("name", f.name);
      text("symbol", f.symbol);
      if (f.defined) place(*f.defined);
      json_.attribute("analysed", f.analysed);
      counts(f);
      json_.attributeArray("accesses", [&] {
        for (const Access& a : f.accesses) access(a);
      });
      json_.attributeArray("checks", [&] {
        for (const Check& c : f.checks) check(c);
      });
    });
  }

  void counts(const Function& f) {
    std::array<std::int64_t, std::size(kFateWords)> fates{};
    for (const Access& a : f.accesses) ++fates[static_cast<std::size_t>(a.fate)];
    json_.attributeObject("counts", [&] {
      json_.attribute("accesses", static_cast<std::int64_t>(f.accesses.size()));
      json_.attribute("checks", static_cast<std::int64_t>(f.checks.size()));
      for (std::size_t i = 0; i < fates.size(); ++i)
        json_.attribute(StringRef(kFateWords[i].data(), kFateWords[i].size()), fates[i]);
    });
  }

  void access(const Access& a) {
    json_.object([&] {
      position(a.position);
      json_.attribute("operation", a.writes ? "write" : "read");
      if (a.bytes) json_.attribute("bytes", static_cast<std::int64_t>(*a.bytes));
      word("form", explain::word(kFormWords, a.form));
      word("fate", explain::word(kFateWords, a.fate));
      indexes("checks", a.checks);
      if (!a.relies_on.empty()) indexes("relies_on", a.relies_on);
    });
  }

  void check(const Check& c) {
    json_.object([&] {
      position(c.position);
      json_.attribute("placed", c.on_edge ? "edge" : "before");
      json_.attribute("operation", c.writes ? "write" : "read");
      json_.attributeArray("paths", [&] {
        for (const std::string& p : c.paths) json_.value(utf8(p));
      });
      word("shape", explain::word(kShapeWords, c.shape));
      text("rule", c.rule);
      text("reason", c.reason);
      word("barrier", explain::word(kBarrierWords, c.barrier));
      json_.attributeArray("covers", [&] {
        for (const Covers& k : c.covers) covers(k);
      });
    });
  }

  void covers(const Covers& k) {
    json_.object([&] {
      json_.attribute("access", static_cast<std::int64_t>(k.access));
      word("moved", explain::word(kMovedWords, k.moved));
      json_.attributeArray("left_loops", [&] {
        for (const Frame& loop : k.left_loops) json_.object([&] { place(loop); });
      });
    });
  }

  void names(const std::vector<std::string>& list) {
    for (const std::string& name : list) json_.value(utf8(name));
  }
  void numbers(const std::vector<unsigned>& list) {
    for (unsigned n : list) json_.value(n);
  }
  void type(const Type& t) {
    json_.object([&] {
      text("name", t.name);
      text("symbol", t.symbol);
      json_.attributeArray("groups", [&] {
        for (const Words& g : t.groups) json_.array([&] { names(g.fields); });
      });
      json_.attributeArray("words", [&] {
        for (const Words& g : t.groups) json_.array([&] { numbers(g.numbers); });
      });
      json_.attributeArray("uses", [&] {
        for (const Type::Use& u : t.uses) {
          json_.object([&] {
            json_.attributeArray("fields", [&] { names(u.words.fields); });
            json_.attributeArray("words", [&] { numbers(u.words.numbers); });
            word("manner", explain::word(kMannerWords, u.manner));
            json_.attribute("in_part", u.in_part);
            position(u.position);
          });
        }
      });
    });
  }

  OStream json_;
  std::map<std::string, std::size_t> files_;
  std::vector<const std::string*> file_names_;
};

std::string file_in(StringRef folder, StringRef source) {
  llvm::SmallString<128> full(source), file(folder);
  (void)llvm::sys::fs::make_absolute(full);
  const std::string hash =
      llvm::utohexstr(static_cast<std::uint32_t>(llvm::xxh3_64bits(full)), /*LowerCase=*/true, 8);
  llvm::sys::path::append(file, llvm::sys::path::filename(source) + "-" + hash + ".json");
  return std::string(file);
}

std::error_code write_file(const std::string& name, const std::string& source, StringRef detector,
                           const std::vector<Function>& functions, const std::vector<Type>& types) {
  std::error_code error;
  llvm::raw_fd_ostream out(name, error);
  if (error) return error;
  Writer(out).file(source, detector, functions, types);
  out << "\n";
  out.flush();
  error = out.error();
  out.clear_error();
  return error;
}

}  // namespace

void Accounts::add_file(const std::string& source) {
  (void)of_file(source);
}

void Accounts::add(const std::string& source, Function account) {
  of_file(source).push_back(std::move(account));
}

std::vector<Function>& Accounts::of_file(const std::string& source) {
  auto it = llvm::find_if(by_source_, [&](const auto& entry) { return entry.first == source; });
  if (it == by_source_.end()) it = by_source_.insert(it, {source, {}});
  return it->second;
}

void Accounts::write(const llvm::Module& module, const std::vector<Type>& types) {
  if (!wanted()) return;
  const bool folder = llvm::sys::fs::is_directory(to_.path);
  if (!folder && by_source_.size() > 1)
    return module.getContext().emitError("bigfoot: '" + to_.path +
                                         "' is to be a record of several files that are linked "
                                         "with -flto; name a folder instead");
  static const std::vector<Type> kNoTypes;
  for (const auto& [source, functions] : by_source_) {
    const std::string name = folder ? file_in(to_.path, source) : to_.path;
    const bool first = source == by_source_.front().first;
    if (const std::error_code error =
            write_file(name, source, to_.detector, functions, first ? types : kNoTypes))
      module.getContext().emitError("bigfoot: cannot write '" + name + "': " + error.message());
  }
}

}  // namespace bigfoot::frontend::explain
