#include "tools/report/loader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "runtime/report/fingerprint.h"
#include "runtime/report/frame_filter.h"

namespace bigfoot::report {
namespace rr = rt::report;
using nlohmann::json;
namespace {

// --- members, read with the format's own rules: absent is unknown, addresses are texts ---

json::const_iterator member_of(const json& from, const char* key) {
  if (!from.is_object())
    throw BadRecord(std::string("what should have a member '") + key + "' is no object");
  return from.find(key);
}

std::string text_of(const json& from, const char* key) {
  const auto member = member_of(from, key);
  return member == from.end() ? std::string() : member->get<std::string>();
}

rt::u64 number_of(const json& from, const char* key, rt::u64 fallback = 0) {
  const auto member = member_of(from, key);
  if (member == from.end()) return fallback;
  if (!member->is_number_integer() || *member < 0)
    throw BadRecord(std::string("member '") + key + "' is no natural number");
  return member->get<rt::u64>();
}

rt::u32 small_number_of(const json& from, const char* key, rt::u32 fallback = 0) {
  const rt::u64 number = number_of(from, key, fallback);
  if (number > std::numeric_limits<rt::u32>::max())
    throw BadRecord(std::string("member '") + key + "' is too large");
  return static_cast<rt::u32>(number);
}

bool flag_of(const json& from, const char* key) {
  const auto member = member_of(from, key);
  return member != from.end() && member->get<bool>();
}

rt::u64 hex_of(std::string_view digits, const char* key) {
  rt::u64 value = 0;
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
  if (error != std::errc() || end != digits.end())
    throw BadRecord(std::string("member '") + key + "' is no hexadecimal number");
  return value;
}

rt::u64 address_of(const json& from, const char* key) {
  const std::string digits = text_of(from, key);
  return digits.empty() ? 0 : hex_of(digits, key);
}

rt::ThreadId thread_of(const json& from, const char* key) {
  return rt::ThreadId(small_number_of(from, key, static_cast<rt::u32>(rt::kNoThread)));
}

// The elements of an array member; none if it is absent.
const json& list_of(const json& from, const char* key) {
  static const json kNone = json::array();
  const auto member = member_of(from, key);
  if (member == from.end()) return kNone;
  if (!member->is_array()) throw BadRecord(std::string("member '") + key + "' is no array");
  return *member;
}

// --- words ---

template <class T, std::size_t N>
T value_of(const std::array<std::pair<const char*, T>, N>& words, const std::string& word,
           const char* what) {
  for (const auto& [name, value] : words)
    if (word == name) return value;
  throw BadRecord(std::string("unknown ") + what + " '" + word + "'");
}

constexpr std::array<std::pair<const char*, rr::ObjectKind>, 6> kObjectKinds = {{
    {"unknown", rr::ObjectKind::kUnknown},
    {"heap", rr::ObjectKind::kHeap},
    {"global", rr::ObjectKind::kGlobal},
    {"stack", rr::ObjectKind::kStack},
    {"tls", rr::ObjectKind::kTls},
    {"fd", rr::ObjectKind::kFd},
}};
constexpr std::array<std::pair<const char*, rr::ReportKind>, 3> kRaceKinds = {{
    {"data-race", rr::ReportKind::kRace},
    {"data-race-vptr", rr::ReportKind::kVptrRace},
    {"heap-use-after-free", rr::ReportKind::kUseAfterFree},
}};
constexpr std::array<std::pair<const char*, rr::LockVerdict>, 3> kVerdicts = {{
    {"", rr::LockVerdict::kNothing},
    {"none-in-common", rr::LockVerdict::kNoneInCommon},
    {"read-modes-only", rr::LockVerdict::kOnlyReadModes},
}};
constexpr std::array<std::pair<const char*, bool>, 2> kReadModes = {
    {{"read", true}, {"write", false}}};

rt::AccessKind access_kind(const json& from) {
  if (flag_of(from, "free")) return rt::AccessKind::kFree;
  static constexpr std::array<std::pair<const char*, bool>, 2> kWrites = {
      {{"read", false}, {"write", true}}};
  const bool writes = value_of(kWrites, text_of(from, "kind"), "kind of access");
  if (flag_of(from, "atomic"))
    return writes ? rt::AccessKind::kAtomicWrite : rt::AccessKind::kAtomicRead;
  return writes ? rt::AccessKind::kWrite : rt::AccessKind::kRead;
}

}  // namespace

rr::Report* Loader::load(const json& record) {
  report_ = arena_.make<rr::Report>(1);
  renamed_ = false;
  try {
    load_head(record);
    load_modules(record);
    load_mutexes(record);
    load_threads(record);
    load_accesses(record);
    load_object(record);
    report_->thread = thread_of(record, "thread");
    report_->where = load_stack(record, "where");
    load_histories(record);
    load_run(record);
  } catch (const json::exception& error) {
    // "[json.exception.type_error.302] type must be string, but is number"
    const std::string text = error.what();
    throw BadRecord(text.substr(std::min(text.find("] ") + 2, text.size())));
  }
  if (renamed_) report_->fingerprint = rr::fingerprint(*report_);
  return report_;
}

void Loader::load_head(const json& record) {
  rr::Report& r = *report_;
  r.kind = rr::ReportKind::kFinding;
  if (record.at("type") == "race") r.kind = value_of(kRaceKinds, text_of(record, "kind"), "kind");
  r.title = arena_.intern(record.at("title").get<std::string>()).data;
  r.fingerprint = hex_of(record.at("fingerprint").get<std::string>(), "fingerprint");
  r.pid = small_number_of(record, "pid");
  r.time_ms = number_of(record, "time_ms");
  r.locks = value_of(kVerdicts, text_of(record, "locks"), "verdict on locks");
  if (const auto overlap = record.find("overlap"); overlap != record.end())
    r.overlap = {address_of(*overlap, "address"), number_of(*overlap, "size")};
}

void Loader::load_modules(const json& record) {
  const json& list = list_of(record, "modules");
  modules_ = arena_.make<rr::Module>(list.size());
  module_count_ = 0;
  for (const json& from : list) {
    rr::Module& module = modules_[module_count_++];
    module.number = small_number_of(from, "id");
    module.path = arena_.intern(text_of(from, "path"));
    module.build_id = arena_.intern(text_of(from, "build_id"));
    module.bias = address_of(from, "bias");
  }
}

rr::ModuleAddress Loader::module_place(const json& from) {
  if (member_of(from, "module") == from.end()) return {};
  const rt::u32 number = small_number_of(from, "module");
  for (std::size_t i = 0; i < module_count_; ++i)
    if (modules_[i].number == number) return {&modules_[i], address_of(from, "offset")};
  throw BadRecord("module " + std::to_string(number) + " is not in the list of modules");
}

// All frames of one machine address: some of them inlined into the last.
const rr::ResolvedPc* Loader::load_pc(const json* first, std::size_t count) {
  auto* pc = arena_.make<rr::ResolvedPc>(1);
  pc->pc = address_of(*first, "pc");
  pc->at = module_place(*first);
  const bool nameless = count == 1 && !first->contains("function");
  if (nameless && symbols_ != nullptr && pc->at.module != nullptr) {
    const Frames found = symbols_->code(*pc->at.module, pc->at.offset);
    pc->frames = found.first;
    pc->frame_count = found.count;
    renamed_ |= found.count != 0;
    if (found.count != 0) return pc;
  }
  auto* frames = arena_.make<rr::SourceFrame>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const json& from = first[i];
    frames[i] = {arena_.intern(text_of(from, "function")), arena_.intern(text_of(from, "file")),
                 small_number_of(from, "line"), small_number_of(from, "column")};
  }
  pc->frames = frames;
  pc->frame_count = static_cast<rt::u32>(count);
  return pc;
}

rr::ResolvedStack Loader::load_stack(const json& parent, const char* key) {
  const auto from = member_of(parent, key);
  if (from == parent.end()) return {};
  const json& frames = list_of(*from, "frames");
  const rr::ResolvedPc** pcs = arena_.make<const rr::ResolvedPc*>(frames.size());
  bool* recursive = arena_.make<bool>(frames.size());
  rr::ResolvedStack stack{pcs, 0, flag_of(*from, "truncated"), recursive};
  for (std::size_t first = 0; first < frames.size();) {
    std::size_t last = first;
    while (last + 1 < frames.size() && flag_of(frames[last], "inlined")) ++last;
    recursive[stack.count] = flag_of(frames[last], "recursive");
    pcs[stack.count++] = load_pc(&frames[first], last - first + 1);
    first = last + 1;
  }
  return stack.count == 0 ? stack : rr::trimmed(stack);
}

void Loader::load_mutexes(const json& record) {
  const json& list = list_of(record, "mutexes");
  report_->mutexes = arena_.make<rr::ReportMutex>(list.size());
  for (const json& from : list)
    report_->mutexes[report_->mutex_count++] = {address_of(from, "address"),
                                                load_stack(from, "created"),
                                                arena_.intern(text_of(from, "name"))};
}

void Loader::load_threads(const json& record) {
  const json& list = list_of(record, "threads");
  report_->threads = arena_.make<rr::ReportThread>(list.size());
  for (const json& from : list) {
    rr::ReportThread& thread = report_->threads[report_->thread_count++];
    thread.facts.id = thread_of(from, "id");
    thread.facts.os_id = small_number_of(from, "os_id");
    thread.facts.state = text_of(from, "state") == "running" ? rr::ThreadState::kRunning
                                                             : rr::ThreadState::kFinished;
    thread.facts.creator = thread_of(from, "creator");
    thread.facts.is_fiber = flag_of(from, "fiber");
    text_of(from, "name").copy(thread.facts.name, sizeof thread.facts.name - 1);
    thread.created = load_stack(from, "created");
  }
}

void Loader::load_accesses(const json& record) {
  const json& list = list_of(record, "accesses");
  const std::size_t expected = report_->kind == rr::ReportKind::kFinding ? 0 : 2;
  if (list.size() != expected)
    throw BadRecord(std::to_string(list.size()) + " accesses instead of " +
                    std::to_string(expected));
  report_->accesses = arena_.make<rr::ReportAccess>(list.size());
  for (const json& from : list) load_access(from, report_->accesses[report_->access_count++]);
}

void Loader::load_access(const json& from, rr::ReportAccess& to) {
  to.access.kind = access_kind(from);
  to.access.address = address_of(from, "address");
  to.access.size = number_of(from, "size");
  to.access.thread = thread_of(from, "thread");
  to.access.clock = number_of(from, "clock");
  to.stack = load_stack(from, "stack");
  to.field = arena_.intern(text_of(from, "field"));
  std::string places;
  for (const json& place : list_of(from, "or_at")) {
    if (!place.is_string()) throw BadRecord("'or_at' is a list of places");
    places += place.get<std::string>() + "\n";
  }
  to.or_at = arena_.intern(places);
  if (to.field.empty() && symbols_ != nullptr && to.stack.count != 0) {
    // Frames that were named here have what the line table says; those of the record have not.
    const rr::ResolvedPc& check = *to.stack.pcs[0];
    if (check.frame_count != 0 && check.frames[0].discriminator != 0 && check.at.module != nullptr)
      to.set_told(symbols_->field(*check.at.module, check.frames[0]));
  }
  load_locks(from, to);
}

void Loader::load_locks(const json& from, rr::ReportAccess& to) {
  const json& list = list_of(from, "locks");
  to.locks = arena_.make<rr::ReportHeldLock>(list.size());
  for (const json& held : list) {
    const rt::u64 mutex = number_of(held, "mutex");
    if (mutex >= report_->mutex_count)
      throw BadRecord("mutex " + std::to_string(mutex) + " is not in the list of mutexes");
    to.locks[to.lock_count++] = {static_cast<rt::u32>(mutex),
                                 value_of(kReadModes, text_of(held, "mode"), "mode of a lock"),
                                 load_stack(held, "taken")};
  }
  to.lock_total = number_of(from, "locks_total", list.size());
}

void Loader::load_object(const json& record) {
  const auto found = record.find("object");
  if (found == record.end()) return;
  const json& from = *found;
  rr::ReportObject& to = report_->object;
  to.facts.kind = value_of(kObjectKinds, text_of(from, "kind"), "kind of object");
  to.facts.bytes = {address_of(from, "address"), number_of(from, "size")};
  to.facts.thread = thread_of(from, "thread");
  to.facts.freed = flag_of(from, "freed");
  to.allocated = load_stack(from, "allocated");
  to.address = report_->overlap.begin != 0 ? report_->overlap.begin : to.facts.bytes.begin;
  to.at = module_place(from);
  if (const std::string name = text_of(from, "name"); !name.empty()) {
    auto* global = arena_.make<rr::ResolvedGlobal>(1);
    *global = {arena_.intern(name), to.facts.bytes, to.at};
    to.global = global;
  } else {
    name_object(to);
  }
}

void Loader::load_histories(const json& record) {
  const json& list = list_of(record, "history");
  report_->histories = arena_.make<rr::ReportHistory>(list.size());
  for (const json& from : list) {
    rr::ReportHistory& history = report_->histories[report_->history_count++];
    const json& steps = list_of(from, "steps");
    history.thread = thread_of(from, "thread");
    history.incomplete = flag_of(from, "incomplete");
    history.steps = arena_.make<rr::ReportStep>(steps.size());
    for (const json& step : steps) load_step(step, history.steps[history.count++]);
  }
}

void Loader::load_step(const json& from, rr::ReportStep& to) {
  const std::string kind = text_of(from, "kind");
  const auto* name = std::ranges::find(rr::kStepNames, kind);
  if (name == std::end(rr::kStepNames)) throw BadRecord("unknown kind of step '" + kind + "'");
  to.step.kind = rt::StepKind(name - rr::kStepNames);
  to.step.time = number_of(from, "time");
  to.step.clock = number_of(from, "clock");
  to.step.object =
      names_thread(to.step.kind) ? number_of(from, "thread") : address_of(from, "object");
  to.name = arena_.intern(text_of(from, "name"));
  to.stack = load_stack(from, "stack");
}

void Loader::load_run(const json& record) {
  const auto from = record.find("run");
  if (from == record.end()) return;
  std::string command;
  for (const json& argument : list_of(*from, "command"))
    command += argument.get<std::string>() + '\0';
  report_->run.command = arena_.intern(command);
  report_->run.folder = arena_.intern(text_of(*from, "folder"));
  report_->run.options = arena_.intern(text_of(*from, "options"));
  report_->run.perturb = number_of(*from, "perturb");
}

// A variable that the run did not name, by its place in its module.
void Loader::name_object(rr::ReportObject& object) {
  if (symbols_ == nullptr || object.at.module == nullptr) return;
  const auto symbol = symbols_->data(*object.at.module, object.at.offset);
  if (!symbol) return;
  auto* global = arena_.make<rr::ResolvedGlobal>(1);
  *global = {symbol->name,
             {object.at.module->bias + symbol->start, symbol->size == 0 ? 1 : symbol->size},
             {object.at.module, symbol->start}};
  object.global = global;
  object.facts.kind = rr::ObjectKind::kGlobal;
  renamed_ = true;
}

}  // namespace bigfoot::report
