// The module map against the loader's own account of things.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report_fixture.h"
#include "runtime/report/elf_image.h"

namespace bigfoot::rt::report::testing {
namespace {

struct Loaded {
  std::string path;
  uptr bias = 0;
};

// Who the loader says the address belongs to.
Loaded loader_says(uptr address) {
  struct Search {
    uptr address;
    Loaded found;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& p = info->dlpi_phdr[i];
          if (p.p_type != PT_LOAD || s.address - (info->dlpi_addr + p.p_vaddr) >= p.p_memsz)
            continue;
          s.found = {info->dlpi_name, info->dlpi_addr};
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

class ModuleMapTest : public ::testing::Test {
 protected:
  void expect_as_loaded(uptr address) {
    const Loaded expected = loader_says(address);
    const ModuleAddress at = map.find_code(address);
    ASSERT_NE(at.module, nullptr);
    EXPECT_EQ(at.offset, address - expected.bias);
    if (expected.path.empty()) return;  // the executable has no name there
    char resolved[4096];
    ASSERT_NE(realpath(expected.path.c_str(), resolved), nullptr);
    EXPECT_EQ(to_string(at.module->path), resolved);
  }

  Keeper keeper;
  ModuleMap map{keeper};
};

char zero_filled[1 << 20];

TEST_F(ModuleMapTest, CodeAndDataOfTheExecutableAndOfLibraries) {
  expect_as_loaded(reinterpret_cast<uptr>(&loader_says));
  expect_as_loaded(reinterpret_cast<uptr>(&zero_filled[sizeof zero_filled - 1]));
  expect_as_loaded(reinterpret_cast<uptr>(dlsym(RTLD_DEFAULT, "malloc")));
  expect_as_loaded(reinterpret_cast<uptr>(dlsym(RTLD_DEFAULT, "environ")));
  expect_as_loaded(reinterpret_cast<uptr>(dlsym(RTLD_DEFAULT, "_ZSt4cout")));
}

TEST_F(ModuleMapTest, EveryLoadedModuleIsKnownWithItsBuildId) {
  map.refresh();
  struct Context {
    ModuleMap* map;
    int count = 0;
  } context{&map};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& c = *static_cast<Context*>(data);
        if (std::string(info->dlpi_name).find("linux-vdso") != std::string::npos) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& p = info->dlpi_phdr[i];
          if (p.p_type != PT_NOTE) continue;
          // The loader's copy of the notes, walked here independently.
          const char* at = reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr);
          const char* end = at + p.p_memsz;
          while (at < end) {
            const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
            const char* bytes = at + sizeof *note + ((note->n_namesz + 3) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && std::string(at + sizeof *note) == "GNU") {
              std::string hex;
              for (u32 b = 0; b < note->n_descsz; ++b) {
                char two[3];
                snprintf(two, sizeof two, "%02x", static_cast<u8>(bytes[b]));
                hex += two;
              }
              const ModuleAddress found = c.map->find_data(info->dlpi_addr + p.p_vaddr);
              EXPECT_NE(found.module, nullptr) << info->dlpi_name;
              if (found.module != nullptr) {
                EXPECT_EQ(to_string(found.module->build_id), hex) << info->dlpi_name;
                ++c.count;
              }
            }
            at = bytes + ((note->n_descsz + 3) & ~3u);
          }
        }
        return 0;
      },
      &context);
  EXPECT_GE(context.count, 2);
}

TEST_F(ModuleMapTest, TheKernelsOwnLibrary) {
  const uptr vdso = getauxval(AT_SYSINFO_EHDR);
  ASSERT_NE(vdso, 0u);
  const ModuleAddress at = map.find_code(vdso + 0x500);
  ASSERT_NE(at.module, nullptr);
  EXPECT_EQ(to_string(at.module->path), "[vdso]");
}

TEST_F(ModuleMapTest, MemoryThatIsInNoFile) {
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const uptr address = reinterpret_cast<uptr>(memory);
  EXPECT_EQ(map.find_code(address).module, nullptr);
  EXPECT_EQ(map.find_code(address).offset, address);
  munmap(memory, 4096);
}

TEST_F(ModuleMapTest, AnElfFileMappedAsDataIsNoModule) {
  const int fd = open("/proc/self/exe", 0);
  void* memory = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  map.refresh();
  const ModuleAddress at = map.find_data(reinterpret_cast<uptr>(memory));
  EXPECT_EQ(at.module, nullptr);
  munmap(memory, 4096);
  close(fd);
}

TEST_F(ModuleMapTest, ALibraryOpenedLaterIsFoundAndKeepsItsNameWhenClosed) {
  map.refresh();
  void* library = dlopen(BIGFOOT_TEST_PLUGIN, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const uptr function = reinterpret_cast<uptr>(dlsym(library, "plugin_function"));
  const uptr variable = reinterpret_cast<uptr>(dlsym(library, "plugin_variable"));
  expect_as_loaded(function);
  const ModuleAddress before = map.find_code(function);
  EXPECT_EQ(map.find_data(variable).module, before.module);
  ASSERT_EQ(dlclose(library), 0);
  ASSERT_EQ(loader_says(function).path, "") << "still loaded: the test shows nothing";
  map.refresh();
  const ModuleAddress after = map.find_code(function);
  EXPECT_EQ(after.module, before.module);
  EXPECT_EQ(after.offset, before.offset);
  EXPECT_FALSE(after.module->loaded);

  // What is put at the same place next wins.
  library = dlopen(BIGFOOT_TEST_PLUGIN, RTLD_NOW);
  map.refresh();
  const uptr again = reinterpret_cast<uptr>(dlsym(library, "plugin_function"));
  expect_as_loaded(again);
  EXPECT_TRUE(map.find_code(again).module->loaded);
  dlclose(library);
}

TEST_F(ModuleMapTest, WhatIsLoadedNowWinsOverWhatWasThereBefore) {
  // Two libraries at the same place, one after the other and back again. The addresses are made up
  // and not mapped, so the headers are read from the files.
  Program p;
  const std::string first = BIGFOOT_TEST_PLUGIN;
  const std::string second = p.write_file("second.so", read_whole(first));
  ElfImage image;
  const auto maps = [&](const std::string& path, u64 start) {
    char line[4096];
    // The code's own mapping is enough; its file offset is that of the first executable segment.
    snprintf(line, sizeof line, "%lx-%lx r-xp %lx 08:01 42   %s\n", start, start + 0x1000, 0x1000ul,
             path.c_str());
    return std::string(line);
  };
  ASSERT_TRUE(read_elf(first.c_str(), 0, 0x1000, image))
      << "the code is expected in the second page";
  const auto path_at = [&](u64 address) {
    const ModuleAddress at = map.find_data(address);
    return at.module == nullptr ? "(none)"
                                : to_string(at.module->path) + (at.module->loaded ? "" : " (gone)");
  };
  const auto update = [&](const std::string& text) { map.update(Text(text.data(), text.size())); };
  constexpr u64 kPlace = 0x100000001000, kOther = 0x100000901000;
  update(maps(first, kPlace));
  EXPECT_EQ(path_at(kPlace), first);
  update("");
  EXPECT_EQ(path_at(kPlace), first + " (gone)");
  update(maps(second, kPlace));
  EXPECT_EQ(path_at(kPlace), second);
  update(maps(second, kOther));
  EXPECT_EQ(path_at(kPlace), second + " (gone)") << "the last one that was there";
  EXPECT_EQ(path_at(kOther), second);
  update(maps(first, kPlace));
  EXPECT_EQ(path_at(kPlace), first);
  EXPECT_EQ(map.count(), 3u) << "known again, not a new one";
  EXPECT_EQ(map.find_data(kPlace + 5).offset, image.address_of_code + 5);
}

TEST_F(ModuleMapTest, LinesThatAreNotUnderstoodAreSkipped) {
  map.update(
      "nonsense\n\n1-2\n-\nzz-zz r-xp 0 0 0 /x\n10-20 r-xp 0 0:0 1 relative\n10-20 r-xp 0 0:0 0\n"
      "10-20 r-xp 0 0:0 1 /no/such/file\n10-20 r-xp 0 0:0 1 /etc/passwd");
  EXPECT_EQ(map.count(), 0u);
}

TEST(ElfImage, FilesThatAreNoneAreRefused) {
  Program p;
  ElfImage image;
  const auto read = [&](const std::string& content) {
    return read_elf(p.write_file("x", content).c_str(), 0, 0, image);
  };
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read("hello"));
  EXPECT_FALSE(read(std::string(64, '\xff')));
  EXPECT_FALSE(read("\177ELF"));
  const std::string real = read_whole("/proc/self/exe");
  for (usize n : {16u, 63u, 64u, 100u}) EXPECT_FALSE(read(real.substr(0, n))) << n;
  EXPECT_FALSE(read_elf("/no/such/file", 0, 0, image));
  EXPECT_FALSE(read_elf("/no/such/file", 0x10, 0, image)) << "an address that is not mapped";
}

}  // namespace
}  // namespace bigfoot::rt::report::testing
