#include "report_fixture.h"

#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace bigfoot::rt::report::testing {
namespace {

// What the made-up program's code and variables are: bytes of our own executable.
constexpr usize kCodeBytes = usize{8} << 20;
constexpr usize kDataBytes = usize{1} << 20;
char code_bytes[kCodeBytes];
char data_bytes[kDataBytes];

}  // namespace

std::string to_string(Text text) {
  return {text.data, text.size};
}

uptr executable_bias() {
  uptr bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uptr*>(out) = info->dlpi_addr;
        return 1;  // the executable is the first
      },
      &bias);
  return bias;
}

std::string executable_name() {
  return std::filesystem::read_symlink("/proc/self/exe").filename();
}

bool FakeSymbolizer::code(const Module& module, u64 offset, FrameList& out) {
  ++questions;
  if (const auto once = std::exchange(while_working, nullptr)) once();
  const auto it = places.find(module.bias + offset);
  if (it == places.end()) return false;
  for (const Named& n : it->second)
    out.add({Text(n.function.data(), n.function.size()), Text(n.file.data(), n.file.size()), n.line,
             n.column, n.discriminator});
  return true;
}

bool FakeSymbolizer::data(const Module& module, u64 offset, DataSymbol& out) {
  ++questions;
  for (const Variable& v : variables) {
    if (!v.bytes.contains(module.bias + offset)) continue;
    out = {Text(v.name.data(), v.name.size()), v.bytes.begin - module.bias, v.bytes.size};
    return true;
  }
  return false;
}

void FakeFacts::stack(Origin origin, Stack& out) const {
  const Known& known = origins.at(raw(origin));
  out.count = 0;
  for (Pc pc : known.pcs) out.pcs[out.count++] = pc;
  out.truncated = known.truncated;
}

ThreadFacts FakeFacts::thread(ThreadId id) const {
  const auto it = threads.find(static_cast<u32>(id));
  if (it != threads.end()) return it->second;
  ThreadFacts unnamed;
  unnamed.id = id;
  return unnamed;
}

ObjectFacts FakeFacts::object(uptr address) const {
  for (const ObjectFacts& o : objects)
    if (o.bytes.contains(address)) return o;
  return {};
}

usize FakeFacts::locks(LocksetId set, HeldLock* out) const {
  const std::vector<HeldLock>& held = origins.at(raw(set)).locks;
  std::copy_n(held.begin(), std::min(held.size(), kMaxShownLocks), out);
  return held.size();
}

u32 FakeFacts::steps(ThreadId id, SyncStep* out, u64& lost) const {
  lost = 0;
  const auto found = histories.find(static_cast<u32>(id));
  if (found == histories.end()) return 0;
  std::copy(found->second.begin(), found->second.end(), out);
  return static_cast<u32>(found->second.size());
}

Origin FakeFacts::lock_created(uptr address) const {
  const auto it = mutexes.find(address);
  return it == mutexes.end() ? kNoOrigin : it->second;
}

Program::Program() {
  std::string pattern = ::testing::TempDir() + "report-XXXXXX";
  folder_ = mkdtemp(pattern.data());
  log_path_ = path("log");
  json_path_ = path("races.json");
  options.log_path = log_path_.c_str();
  options.json_path = json_path_.c_str();
}

Program::~Program() {
  std::filesystem::remove_all(folder_);
}

Pc Program::nameless_code() {
  used_code_ += 16;
  EXPECT_LT(used_code_, kCodeBytes);
  return reinterpret_cast<Pc>(code_bytes) + used_code_;
}

Pc Program::code(std::vector<Named> names) {
  const Pc pc = nameless_code();
  symbolizer.places[pc - 1] = std::move(names);
  return pc;
}

Pc Program::code(Named name) {
  return code(std::vector<Named>{std::move(name)});
}

Origin Program::at(std::vector<Pc> pcs, std::vector<HeldLock> locks) {
  facts.origins[++origins_] = {std::move(pcs), false, std::move(locks)};
  return Origin{origins_};
}

ThreadId Program::thread(u32 number, std::string name, ThreadId creator, Origin created,
                         ThreadState state) {
  ThreadFacts t;
  t.id = ThreadId{number};
  t.os_id = 1000 + number;
  t.state = state;
  t.creator = creator;
  t.created = created;
  name.resize(std::min(name.size(), sizeof t.name - 1));
  std::copy(name.begin(), name.end(), t.name);
  facts.threads[number] = t;
  return t.id;
}

uptr Program::variable(const std::string& name, usize size) {
  const uptr address = reinterpret_cast<uptr>(data_bytes) + used_data_;
  used_data_ += size;
  EXPECT_LE(used_data_, kDataBytes);
  symbolizer.variables.push_back({name, {address, size}});
  return address;
}

uptr Program::block(uptr address, usize size, Origin allocated, ThreadId by, bool freed) {
  facts.objects.push_back({ObjectKind::kHeap, {address, size}, by, allocated, freed});
  return address;
}

std::string Program::in_module(Pc pc) const {
  std::ostringstream s;
  s << "(" << executable_name() << "+0x" << std::hex << pc - 1 - executable_bias() << ")";
  return s.str();
}

Reporter& Program::reporter() {
  if (!reporter_) reporter_ = std::make_unique<Reporter>(facts, symbolizer, options);
  return *reporter_;
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string Program::log() {
  return read_whole(log_path_ + "." + std::to_string(getpid()));
}

std::vector<std::string> Program::json_lines() {
  std::vector<std::string> lines;
  std::istringstream in(read_whole(json_path_));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string Program::write_file(const std::string& name, const std::string& content, int mode) {
  const std::string full = path(name);
  std::ofstream(full, std::ios::binary) << content;
  EXPECT_EQ(chmod(full.c_str(), static_cast<mode_t>(mode)), 0);
  return full;
}

Access access(AccessKind kind, uptr address, u64 size, ThreadId thread, Origin origin) {
  Access a;
  a.kind = kind;
  a.address = address;
  a.size = size;
  a.thread = thread;
  a.origin = origin;
  a.locks = LocksetId{raw(origin)};  // the fake names a place and its locks alike
  return a;
}

Race race(Access current, Access previous) {
  const uptr begin = std::max(current.address, previous.address);
  const uptr end = std::min(current.address + current.size, previous.address + previous.size);
  return {current, previous, {begin, end - begin}};
}

}  // namespace bigfoot::rt::report::testing
