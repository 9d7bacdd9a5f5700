// Everything known about the code and data addresses that reports mention, each asked for once.
#pragma once

#include "runtime/base/hash_map.h"
#include "runtime/report/symbolizer.h"

namespace bigfoot::rt::report {

// A return address with what stands at the call before it.
struct ResolvedPc {
  Pc pc = 0;
  ModuleAddress at;                     // of the last byte of the call: pc - 1
  const SourceFrame* frames = nullptr;  // innermost first; at least one, perhaps with no names
  u32 frame_count = 0;
};

// A variable with a fixed address.
struct ResolvedGlobal {
  Text name;
  ByteRange bytes;
  ModuleAddress at;  // of its first byte
};

class SymbolCache {
 public:
  SymbolCache(Keeper& keeper, Symbolizer& symbolizer)
      : keeper_(keeper), symbolizer_(symbolizer), modules_(keeper) {}

  // Lives as long as the cache.
  const ResolvedPc* code(Pc pc);
  // Null if the address belongs to no variable that the symbolizer knows.
  const ResolvedGlobal* global(uptr address);
  // The member that the check called before this address is of; empty if it is not known.
  Text field(const ResolvedPc& check);
  ModuleMap& modules() { return modules_; }

 private:
  const ResolvedPc* resolve_code(Pc pc, ModuleAddress at);
  const ResolvedGlobal* known_global(uptr address) const;
  Text intern(Text text);

  struct GlobalNode {
    ResolvedGlobal global;
    GlobalNode* next;
  };

  Keeper& keeper_;
  Symbolizer& symbolizer_;
  ModuleMap modules_;
  HashMap<const ResolvedPc*> code_;
  HashMap<bool> no_global_;  // addresses that were asked for in vain
  HashMap<const char*> texts_;
  GlobalNode* globals_ = nullptr;
  FrameList* scratch_ = nullptr;
};

}  // namespace bigfoot::rt::report
