#include "frontends/bfj/vm/recorder.h"

namespace bigfoot::vm {

using Kind = RecordedEvent::Kind;
using Guard = std::lock_guard<std::mutex>;

Verdict Recorder::access(const Actor& who, const ProgramAccess& a) {
  Guard guard(lock_);
  const Verdict verdict = next_.access(who, a);
  add({.kind = a.writes ? Kind::Write : Kind::Read,
       .refused = verdict == Verdict::Race,
       .who = who,
       .address = a.address,
       .bytes = sizeof(std::uint64_t),
       .site = a.site,
       .where = a.where});
  return verdict;
}

void Recorder::acquire(const Actor& who, const ProgramSync& s) {
  Guard guard(lock_);
  add({.kind = Kind::Acquire,
       .is_volatile = s.is_volatile,
       .who = who,
       .address = s.address,
       .where = s.where});
  next_.acquire(who, s);
}
void Recorder::release(const Actor& who, const ProgramSync& s) {
  Guard guard(lock_);
  add({.kind = Kind::Release,
       .is_volatile = s.is_volatile,
       .who = who,
       .address = s.address,
       .where = s.where});
  next_.release(who, s);
}

void Recorder::forked(const Actor& who, std::uint32_t child) {
  Guard guard(lock_);
  add({.kind = Kind::Fork, .who = who, .other = child});
  next_.forked(who, child);
}
void Recorder::joined(const Actor& who, std::uint32_t child) {
  Guard guard(lock_);
  add({.kind = Kind::Join, .who = who, .other = child});
  next_.joined(who, child);
}
void Recorder::ending(const Actor& who) {
  Guard guard(lock_);
  add({.kind = Kind::End, .who = who});
  next_.ending(who);
}

void Recorder::resumed(const Actor& who) {
  Guard guard(lock_);
  if (started_.size() <= who.green) started_.resize(who.green + 1);
  if (!started_[who.green]) add({.kind = Kind::Start, .who = who});
  started_[who.green] = true;
  next_.resumed(who);
}
void Recorder::suspended(const Actor& who) {
  Guard guard(lock_);
  next_.suspended(who);
}

void Recorder::system_read(const Actor& who, Memory m, const char* site) {
  Guard guard(lock_);
  add({.kind = Kind::SystemRead, .who = who, .address = m.begin, .bytes = m.bytes, .site = site});
  next_.system_read(who, m, site);
}
void Recorder::system_write(const Actor& who, Memory m, const char* site) {
  Guard guard(lock_);
  add({.kind = Kind::SystemWrite, .who = who, .address = m.begin, .bytes = m.bytes, .site = site});
  next_.system_write(who, m, site);
}
void Recorder::system_acquire(const Actor& who, const void* lock) {
  Guard guard(lock_);
  add({.kind = Kind::SystemAcquire, .who = who, .address = reinterpret_cast<std::uintptr_t>(lock)});
  next_.system_acquire(who, lock);
}
void Recorder::system_release(const Actor& who, const void* lock) {
  Guard guard(lock_);
  add({.kind = Kind::SystemRelease, .who = who, .address = reinterpret_cast<std::uintptr_t>(lock)});
  next_.system_release(who, lock);
}

void Recorder::freed(const Actor& who, std::span<const Memory> blocks) {
  Guard guard(lock_);
  for (const Memory& m : blocks)
    add({.kind = Kind::Clear, .who = who, .address = m.begin, .bytes = m.bytes});
  next_.freed(who, blocks);
}
void Recorder::copied(const Actor& who, std::span<const Move> moves) {
  Guard guard(lock_);
  for (const Move& m : moves)
    add({.kind = Kind::Copy, .who = who, .address = m.from, .bytes = m.bytes, .other = m.to});
  next_.copied(who, moves);
}

std::vector<bfj::Event> program_trace(const std::vector<RecordedEvent>& events,
                                      RefusedAccesses refused) {
  std::vector<bfj::Event> trace;
  for (const RecordedEvent& e : events) {
    if (e.refused && refused == RefusedAccesses::LeftOut) continue;
    if (e.who.green == Actor::kNobody) continue;  // threads that are there from the start
    bfj::Event::Kind kind;
    switch (e.kind) {
      case Kind::Read:
        kind = bfj::Event::Kind::Read;
        break;
      case Kind::Write:
        kind = bfj::Event::Kind::Write;
        break;
      case Kind::Acquire:
        kind = e.is_volatile ? bfj::Event::Kind::VolatileRead : bfj::Event::Kind::Acquire;
        break;
      case Kind::Release:
        kind = e.is_volatile ? bfj::Event::Kind::VolatileWrite : bfj::Event::Kind::Release;
        break;
      case Kind::Fork:
        kind = bfj::Event::Kind::Fork;
        break;
      case Kind::Join:
        kind = bfj::Event::Kind::Join;
        break;
      default:
        continue;
    }
    trace.push_back({.kind = kind,
                     .thread = bfj::ThreadId{e.who.green},
                     .location = e.where,
                     .other = bfj::ThreadId(e.other),
                     .pos = {}});
  }
  return trace;
}

}  // namespace bigfoot::vm
