#include "tools/report/symbols.h"

#include <unistd.h>

#include <memory>

#include "runtime/report/elf_image.h"
#include "runtime/report/field_names.h"

namespace bigfoot::report {
using rt::report::DataSymbol;
using rt::report::FrameList;
using rt::report::Module;
using rt::report::SourceFrame;

namespace {
// read_elf() is asked for headers only: no mapping of code has to be found.
constexpr rt::u64 kNoCode = 0;
}  // namespace

bool Symbols::usable(const Module& module) {
  const std::string path(view(module.path));
  const auto [known, fresh] = checked_.try_emplace(path + " " + std::string(view(module.build_id)));
  if (!fresh) return known->second;
  rt::report::ElfImage image;
  std::string problem;
  if (access(path.c_str(), R_OK) != 0)
    problem = "cannot be read any more";
  else if (rt::report::read_elf(path.c_str(), 0, kNoCode, image); image.highest == 0)
    problem = "is no ELF file";
  else if (!module.build_id.empty() &&
           view(module.build_id) != std::string_view(image.build_id, image.build_id_size))
    problem = "has changed since the run (another build id)";
  known->second = problem.empty();
  if (!problem.empty()) unusable_.emplace(path, problem);
  return known->second;
}

Frames Symbols::code(const Module& module, rt::u64 offset) {
  const auto [known, fresh] = code_.try_emplace({std::string(view(module.path)), offset});
  if (!fresh || !usable(module)) return known->second;
  const auto list = std::make_unique<FrameList>();
  if (!symbolizer_.code(module, offset, *list)) return {};
  auto* frames = arena_.make<SourceFrame>(list->count);
  for (rt::u32 i = 0; i < list->count; ++i) {
    const SourceFrame& f = list->frames[i];
    frames[i] = {arena_.intern(view(f.function)), arena_.intern(view(f.file)), f.line, f.column,
                 f.discriminator};
  }
  return known->second = {frames, list->count};
}

rt::Text Symbols::field(const Module& module, const SourceFrame& innermost) {
  rt::TextBuffer name;
  const std::string path(view(module.path));
  if (!usable(module) || !rt::report::find_field(path.c_str(), innermost.discriminator, name))
    return {};
  return arena_.intern(view(name.text()));
}

std::optional<DataSymbol> Symbols::data(const Module& module, rt::u64 offset) {
  DataSymbol symbol;
  if (!usable(module) || !symbolizer_.data(module, offset, symbol)) return std::nullopt;
  symbol.name = arena_.intern(view(symbol.name));
  return symbol;
}

}  // namespace bigfoot::report
