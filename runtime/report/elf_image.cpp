#include "runtime/report/elf_image.h"

#include <elf.h>

namespace bigfoot::rt::report {
namespace {

constexpr usize kMaxHeaders = 64;

// Bytes of the module, from the process's memory or from the file.
struct Source {
  sys::Fd fd = sys::kNoFd;
  u64 base = 0;

  bool open(const char* path, u64 at) {
    fd = sys::open_for_read(path);
    base = at;
    return fd != sys::kNoFd;
  }
  bool read(void* to, usize n, u64 offset) const {
    return sys::read_at(fd, to, n, base + offset) == static_cast<i64>(n);
  }
};

bool is_elf(const Elf64_Ehdr& h) {
  return equal(reinterpret_cast<const char*>(h.e_ident), ELFMAG, SELFMAG) &&
         h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_phentsize == sizeof(Elf64_Phdr) &&
         h.e_phnum <= kMaxHeaders;
}

void read_build_id(const Source& source, const Elf64_Phdr& notes, ElfImage& image) {
  constexpr u64 kMaxNotes = 2048;
  char bytes[kMaxNotes];
  const u64 size = notes.p_filesz < kMaxNotes ? notes.p_filesz : kMaxNotes;
  if (!source.read(bytes, size, notes.p_offset)) return;
  for (u64 at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
    Elf64_Nhdr note;
    copy_bytes(&note, bytes + at, sizeof note);
    const u64 name = at + sizeof note;
    const u64 content = name + ((u64{note.n_namesz} + 3) & ~u64{3});
    const u64 end = content + ((u64{note.n_descsz} + 3) & ~u64{3});
    if (content > size || end > size) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && equal(bytes + name, "GNU", 4)) {
      const usize n =
          note.n_descsz < sizeof image.build_id / 2 ? note.n_descsz : sizeof image.build_id / 2;
      for (usize i = 0; i < n; ++i) {
        const auto byte = static_cast<u8>(bytes[content + i]);
        image.build_id[2 * i] = "0123456789abcdef"[byte >> 4];
        image.build_id[2 * i + 1] = "0123456789abcdef"[byte & 15];
      }
      image.build_id_size = 2 * n;
      return;
    }
    at = end;
  }
}

bool read_headers(const Source& source, u64 code_offset, ElfImage& image) {
  Elf64_Ehdr header;
  if (!source.read(&header, sizeof header, 0) || !is_elf(header)) return false;
  bool found = false;
  image.lowest = ~uptr{0};
  for (usize i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr p;
    if (!source.read(&p, sizeof p, header.e_phoff + i * sizeof p)) return false;
    if (p.p_type == PT_NOTE && image.build_id_size == 0) read_build_id(source, p, image);
    if (p.p_type != PT_LOAD) continue;
    if (p.p_vaddr < image.lowest) image.lowest = p.p_vaddr;
    if (p.p_vaddr + p.p_memsz > image.highest) image.highest = p.p_vaddr + p.p_memsz;
    // Mappings start at a page, segments anywhere in it.
    const u64 first = p.p_offset & ~u64{sys::kPageBytes - 1};
    if ((p.p_flags & PF_X) != 0 && first <= code_offset && code_offset < p.p_offset + p.p_filesz) {
      image.address_of_code = p.p_vaddr - p.p_offset + code_offset;
      found = true;
    }
  }
  return found;
}

bool read_from(const char* path, u64 base, u64 code_offset, ElfImage& image) {
  Source source;
  if (!source.open(path, base)) return false;
  image = {};
  const bool ok = read_headers(source, code_offset, image);
  sys::close(source.fd);
  return ok;
}

// Far more than any file has; a wrong header must not make us read for ever.
constexpr u64 kMaxSectionBytes = u64{256} << 20;

bool read_whole(const Source& source, const Elf64_Shdr& section, TextBuffer& to) {
  if (section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) != 0 ||
      section.sh_size > kMaxSectionBytes)
    return false;
  char* room = to.room(section.sh_size);
  if (room == nullptr || !source.read(room, section.sh_size, section.sh_offset)) return false;
  to.added(section.sh_size);
  return true;
}

bool find_section(const Source& source, Text name, Elf64_Shdr& found) {
  Elf64_Ehdr header;
  if (!source.read(&header, sizeof header, 0) || !is_elf(header)) return false;
  const auto read = [&](u64 i, Elf64_Shdr& to) {
    return i < header.e_shnum && source.read(&to, sizeof to, header.e_shoff + i * sizeof to);
  };
  TextBuffer names;
  Elf64_Shdr strings;
  if (!read(header.e_shstrndx, strings) || !read_whole(source, strings, names)) return false;
  for (u64 i = 0; read(i, found); ++i) {
    const Text rest = names.text().drop_front(found.sh_name);
    if (rest.take_front(rest.find('\0')) == name) return true;
  }
  return false;
}

}  // namespace

bool read_section(const char* path, Text name, TextBuffer& content) {
  Source source;
  if (!source.open(path, 0)) return false;
  Elf64_Shdr section;
  const bool ok = find_section(source, name, section) && read_whole(source, section, content);
  sys::close(source.fd);
  return ok;
}

bool read_elf(const char* path, uptr start, u64 code_offset, ElfImage& image) {
  if (start != 0 && read_from("/proc/self/mem", start, code_offset, image)) return true;
  return read_from(path, 0, code_offset, image);
}

}  // namespace bigfoot::rt::report
