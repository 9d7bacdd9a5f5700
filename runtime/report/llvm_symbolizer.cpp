#include "runtime/report/llvm_symbolizer.h"

#include "runtime/report/json_reader.h"

// The build may name the one that belongs to its compiler.
#ifndef BIGFOOT_DEFAULT_SYMBOLIZER
#define BIGFOOT_DEFAULT_SYMBOLIZER "/usr/lib/llvm-22/bin/llvm-symbolizer"
#endif

namespace bigfoot::rt::report {
namespace {

// One start, and a few more for a child that somebody killed (Ctrl-C reaches it too).
constexpr u32 kMaxStarts = 5;

bool usable(const char* path) {
  return path != nullptr && path[0] != 0 && sys::executable(path);
}

bool find_on_path(const char* name, TextBuffer& to) {
  Text folders = sys::environment("PATH");
  while (!folders.empty()) {
    const usize n = folders.find(':');
    to.clear();
    to.add(folders.take_front(n)).add("/").add(name);
    if (n > 0 && usable(to.c_str())) return true;
    folders = folders.drop_front(n + 1);
  }
  return false;
}

bool read_frame(JsonReader& json, SourceFrame& frame) {
  u64 line = 0, column = 0, discriminator = 0;
  const bool ok = json.object([&](Text key) {
    if (key == "FunctionName") return json.string(frame.function);
    if (key == "FileName") return json.string(frame.file);
    if (key == "Line") return json.number(line);
    if (key == "Column") return json.number(column);
    if (key == "Discriminator") return json.number(discriminator);
    return json.skip();
  });
  frame.line = static_cast<u32>(line);
  frame.column = static_cast<u32>(column);
  frame.discriminator = static_cast<u32>(discriminator);
  return ok;
}

bool read_hex(JsonReader& json, u64& value) {
  Text digits;
  if (!json.string(digits)) return false;
  parse_hex(digits, value);  // an empty text: unknown, stays 0
  return true;
}

bool read_variable(JsonReader& json, DataSymbol& out) {
  return json.object([&](Text key) {
    if (key == "Name") return json.string(out.name);
    if (key == "Start") return read_hex(json, out.start);
    if (key == "Size") return read_hex(json, out.size);
    return json.skip();
  });
}

}  // namespace

LlvmSymbolizer::Setting::Setting() : built_in(BIGFOOT_DEFAULT_SYMBOLIZER) {}

const char* LlvmSymbolizer::find_program() {
  const char* candidates[] = {options_.external_symbolizer_path,
                              sys::environment("BIGFOOT_SYMBOLIZER_PATH"),
                              sys::environment("LLVM_SYMBOLIZER_PATH"), setting_.built_in};
  for (const char* path : candidates)
    if (usable(path)) {
      path_.clear();
      return path_.add(path).c_str();
    }
  const char* names[] = {"llvm-symbolizer-22", "llvm-symbolizer"};
  for (const char* name : names)
    if (find_on_path(name, path_)) return path_.c_str();
  return nullptr;
}

void LlvmSymbolizer::give_up(Text why) {
  given_up_ = true;
  TextBuffer line;
  line.add("bigfoot: ").add(why);
  line.add("; functions and lines are missing from reports, modules and offsets are shown\n");
  sys::write_all(sys::kStderr, line.data(), line.size());
}

bool LlvmSymbolizer::start() {
  if (running_) return true;
  if (given_up_) return false;
  const char* program = find_program();
  if (program == nullptr) {
    give_up("llvm-symbolizer not found (set BIGFOOT_SYMBOLIZER_PATH or external_symbolizer_path)");
    return false;
  }
  if (starts_ == kMaxStarts) {
    give_up("llvm-symbolizer ended again and again");
    return false;
  }
  ++starts_;
  const char* argv[] = {program, "--output-style=JSON",
                        options_.symbolize_inline_frames ? "--inlines" : "--no-inlines",
                        options_.demangle ? "--demangle" : "--no-demangle", nullptr};
  running_ = sys::start_child(program, argv, child_);
  if (!running_) give_up("llvm-symbolizer cannot be started");
  return running_;
}

void LlvmSymbolizer::stop() {
  if (running_) sys::end_child(child_);
  running_ = false;
}

void LlvmSymbolizer::after_fork_child() {
  if (running_) sys::forget_child(child_);
  running_ = false;
}

bool LlvmSymbolizer::answer() {
  reply_.clear();
  constexpr usize kChunk = usize{16} << 10;
  while (sys::wait_readable(child_.from, setting_.patience_ms)) {
    char* at = reply_.room(kChunk);
    if (at == nullptr) return false;
    const i64 got = sys::read_some(child_.from, at, kChunk);
    if (got <= 0) return false;
    reply_.added(static_cast<usize>(got));
    if (at[got - 1] == '\n') return true;  // one question, one line
  }
  return false;
}

bool LlvmSymbolizer::ask(Text what, const Module& module, u64 offset) {
  if (!options_.symbolize || module.path[0] != '/') return false;
  const bool has_quote = module.path.find('"') != module.path.size;
  const char quote = has_quote ? '\'' : '"';
  if (module.path.find('\n') != module.path.size || module.path.find(quote) != module.path.size)
    return false;  // cannot be said in the child's language
  question_.clear();
  question_.add(what).add(" ").add_char(quote).add(module.path).add_char(quote).add(" ");
  question_.add_hex(offset).add("\n");
  // A second try, because a child that was killed since the last question is noticed only now.
  for (int attempt = 0; attempt < 2 && start(); ++attempt) {
    if (sys::send_to_child(child_, question_.data(), question_.size()) && answer()) return true;
    stop();
  }
  return false;
}

bool LlvmSymbolizer::code(const Module& module, u64 offset, FrameList& out) {
  if (!ask("CODE", module, offset)) return false;
  JsonReader json(const_cast<char*>(reply_.data()), reply_.size());
  out.count = 0;
  const bool ok = json.object([&](Text key) {
    if (!(key == "Symbol")) return json.skip();
    return json.array([&] {
      SourceFrame frame;
      if (!read_frame(json, frame)) return false;
      out.add(frame);
      return true;
    });
  });
  if (!ok) {
    stop();
    give_up("llvm-symbolizer's answers are not understood");
  }
  return ok && out.count > 0 && !(out.count == 1 && out.frames[0].function.empty());
}

bool LlvmSymbolizer::data(const Module& module, u64 offset, DataSymbol& out) {
  if (!ask("DATA", module, offset)) return false;
  JsonReader json(const_cast<char*>(reply_.data()), reply_.size());
  DataSymbol found;
  const bool ok = json.object(
      [&](Text key) { return key == "Data" ? read_variable(json, found) : json.skip(); });
  if (!ok || found.name.empty() || found.name == "??") return false;
  if (found.size != 0 && offset - found.start >= found.size) return false;
  out = found;
  return true;
}

}  // namespace bigfoot::rt::report
