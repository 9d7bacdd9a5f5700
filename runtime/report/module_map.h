// Which file an address comes from: executable, shared libraries, those opened later and those
// closed.
//
// Read from /proc/self/maps, because the loader's own list is behind a lock that the program may
// hold. A closed module is kept as long as nothing else lies at its place, so that an old access in
// it still has a name.
#pragma once

#include "runtime/base/hash_map.h"
#include "runtime/base/text.h"

namespace bigfoot::rt::report {

struct Module {
  Text path;
  Text build_id;  // hexadecimal digits; empty if it has none
  ByteRange bytes;
  uptr bias = 0;  // address in memory - address in the file's own numbering
  u32 number = 0;
  bool loaded = false;

  Text name() const { return path.basename(); }
};

// An address as the file's tools (symbolizer, disassembler) count it.
struct ModuleAddress {
  const Module* module = nullptr;  // null: in no file (generated code, or /proc cannot be read)
  u64 offset = 0;
};

class ModuleMap {
 public:
  explicit ModuleMap(Keeper& keeper) : keeper_(keeper) {}

  // Looks at the maps again if the address is in no known module, once for each page: code has come
  // from somewhere.
  ModuleAddress find_code(uptr address);
  // Does not: most data lies in no module.
  ModuleAddress find_data(uptr address) const;
  void refresh();
  // The same from this text in the format of /proc/PID/maps.
  void update(Text maps);

  usize count() const { return count_; }
  const Module& module(usize i) const { return *modules_[i]; }

 private:
  const Module* lookup(uptr address) const;
  void see_code(Text path, uptr start, u64 file_offset, uptr file_start);
  Module* known(Text path, uptr address) const;
  void append(Module* module);

  Keeper& keeper_;
  TextBuffer maps_;
  Module** modules_ = nullptr;
  usize count_ = 0;
  usize capacity_ = 0;
  HashMap<bool> nowhere_;  // pages that were looked for in vain
};

}  // namespace bigfoot::rt::report
