#include "runtime/report/symbol_cache.h"

#include "runtime/report/field_names.h"

namespace bigfoot::rt::report {
namespace {

// Names a place for good: another module may be loaded at the same address later.
u64 place_key(ModuleAddress at) {
  const u64 module = at.module == nullptr ? 0 : at.module->number + 1;
  return mix_bits(module * 0x9e3779b97f4a7c15ull + at.offset) | 1;
}

}  // namespace

Text SymbolCache::intern(Text text) {
  if (text.empty()) return {};
  auto [kept, fresh] = texts_.insert(hash_of(text) | 1);
  if (fresh) *kept = keeper_.copy(text).data;
  // Two texts with one hash: the second is copied each time.
  return text == Text(*kept) ? Text(*kept, text.size) : keeper_.copy(text);
}

const ResolvedPc* SymbolCache::code(Pc pc) {
  const ModuleAddress at = modules_.find_code(pc - 1);
  auto [entry, fresh] = code_.insert(place_key(at));
  if (fresh) *entry = resolve_code(pc, at);
  return *entry;
}

const ResolvedPc* SymbolCache::resolve_code(Pc pc, ModuleAddress at) {
  if (scratch_ == nullptr) scratch_ = keeper_.make<FrameList>();
  FrameList& found = *scratch_;
  found.count = 0;
  if (at.module == nullptr || !symbolizer_.code(*at.module, at.offset, found)) {
    found.count = 0;
    found.add({});
  }
  auto* frames = keeper_.make<SourceFrame>(found.count);
  for (u32 i = 0; i < found.count; ++i) {
    const SourceFrame& f = found.frames[i];
    frames[i] = {intern(f.function), intern(f.file), f.line, f.column, f.discriminator};
  }
  auto* resolved = keeper_.make<ResolvedPc>();
  *resolved = {pc, at, frames, found.count};
  return resolved;
}

Text SymbolCache::field(const ResolvedPc& check) {
  const u32 number = check.frames[0].discriminator;
  if (number == 0 || check.at.module == nullptr) return {};
  TextBuffer name;
  // Paths of modules are kept with a zero behind them.
  return find_field(check.at.module->path.data, number, name) ? intern(name.text()) : Text();
}

const ResolvedGlobal* SymbolCache::known_global(uptr address) const {
  for (const GlobalNode* n = globals_; n != nullptr; n = n->next)
    if (n->global.bytes.contains(address)) return &n->global;
  return nullptr;
}

const ResolvedGlobal* SymbolCache::global(uptr address) {
  const ModuleAddress at = modules_.find_data(address);
  if (at.module == nullptr) return nullptr;
  if (const ResolvedGlobal* g = known_global(address)) return g;
  if (no_global_.find(place_key(at)) != nullptr) return nullptr;
  DataSymbol symbol;
  if (!symbolizer_.data(*at.module, at.offset, symbol)) {
    no_global_.insert(place_key(at));
    return nullptr;
  }
  auto* node = keeper_.make<GlobalNode>();
  node->global = {intern(symbol.name),
                  {at.module->bias + symbol.start, symbol.size == 0 ? 1 : symbol.size},
                  {at.module, symbol.start}};
  node->next = globals_;
  globals_ = node;
  return &node->global;
}

}  // namespace bigfoot::rt::report
