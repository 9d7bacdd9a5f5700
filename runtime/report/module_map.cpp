#include "runtime/report/module_map.h"

#include "runtime/report/elf_image.h"

namespace bigfoot::rt::report {
namespace {

// "start-end perms offset device inode   path"
struct MapsLine {
  uptr start = 0;
  u64 offset = 0;
  bool code = false;
  Text path;
};

Text next_field(Text& line) {
  while (!line.empty() && line[0] == ' ') line = line.drop_front(1);
  const usize n = line.find(' ');
  const Text word = line.take_front(n);
  line = line.drop_front(n);
  return word;
}

bool parse_line(Text line, MapsLine& out) {
  const Text range = next_field(line);
  const Text permissions = next_field(line);
  const Text offset = next_field(line);
  next_field(line);  // device
  next_field(line);  // inode
  u64 start = 0;
  if (!parse_hex(range.take_front(range.find('-')), start)) return false;
  if (!parse_hex(offset, out.offset)) return false;
  out.start = start;
  out.code = permissions.size > 2 && permissions[2] == 'x';
  out.path = line.trimmed();
  constexpr const char* kDeleted = " (deleted)";
  if (out.path.ends_with(kDeleted)) out.path.size -= length(kDeleted);
  return true;
}

}  // namespace

ModuleAddress ModuleMap::find_data(uptr address) const {
  const Module* m = lookup(address);
  return m == nullptr ? ModuleAddress{nullptr, address} : ModuleAddress{m, address - m->bias};
}

ModuleAddress ModuleMap::find_code(uptr address) {
  const Module* m = lookup(address);
  if ((m == nullptr || !m->loaded) && nowhere_.insert(address / sys::kPageBytes + 1).fresh)
    refresh();
  return find_data(address);
}

const Module* ModuleMap::lookup(uptr address) const {
  const Module* gone = nullptr;
  for (usize i = count_; i > 0; --i) {
    const Module* m = modules_[i - 1];
    if (!m->bytes.contains(address)) continue;
    if (m->loaded) return m;
    if (gone == nullptr) gone = m;
  }
  return gone;
}

void ModuleMap::refresh() {
  maps_.clear();
  if (read_file("/proc/self/maps", maps_)) update(maps_.text());
}

void ModuleMap::update(Text rest) {
  for (usize i = 0; i < count_; ++i) modules_[i]->loaded = false;
  MapsLine first;  // the last line that maps a file's first byte
  while (!rest.empty()) {
    const usize n = rest.find('\n');
    MapsLine line;
    const bool ok = parse_line(rest.take_front(n), line);
    rest = rest.drop_front(n + 1);
    if (!ok || line.path.empty()) continue;
    if (line.offset == 0) first = line;
    if (!line.code) continue;
    see_code(line.path, line.start, line.offset, first.path == line.path ? first.start : 0);
  }
}

void ModuleMap::see_code(Text path, uptr start, u64 file_offset, uptr file_start) {
  if (Module* m = known(path, start)) {
    m->loaded = true;
    return;
  }
  if (path[0] != '/' && !(path == "[vdso]")) return;
  const Text kept = keeper_.copy(path);
  ElfImage image;
  if (!read_elf(kept.data, file_start, file_offset, image)) return;
  Module* m = keeper_.make<Module>();
  m->path = kept;
  m->build_id = keeper_.copy({image.build_id, image.build_id_size});
  m->bias = start - image.address_of_code;
  m->bytes = {m->bias + image.lowest, image.highest - image.lowest};
  m->loaded = true;
  append(m);
}

Module* ModuleMap::known(Text path, uptr address) const {
  for (usize i = count_; i > 0; --i) {
    Module* m = modules_[i - 1];
    if (m->bytes.contains(address) && m->path == path) return m;
  }
  return nullptr;
}

void ModuleMap::append(Module* module) {
  if (count_ == capacity_) {
    capacity_ = capacity_ == 0 ? 64 : 2 * capacity_;
    Module** bigger = keeper_.make<Module*>(capacity_);
    for (usize i = 0; i < count_; ++i) bigger[i] = modules_[i];
    modules_ = bigger;
  }
  module->number = static_cast<u32>(count_);
  modules_[count_++] = module;
}

}  // namespace bigfoot::rt::report
