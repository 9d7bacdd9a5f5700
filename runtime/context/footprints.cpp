#include "runtime/context/footprints.h"

namespace bigfoot::rt {

bool Footprints::extend(Pc pc, u64 path, AccessKind kind, const Footprint& f) {
  Site& s = site(pc);
  if (s.pc != pc || s.path != path || s.serial != serial_) return false;
  const u32 recent[] = {s.now, s.before};
  for (u32 i : recent) {
    PlaceFootprint& p = items_[i];
    const bool fits = f.begin >= p.room.begin && f.end() <= p.room.end();
    const bool alike =
        kind == p.kind && phase_of({f.begin, p.size}) == p.phase;
    if (!fits || !alike || !p.f.extend(f)) continue;
    ++merged_;
    return true;
  }
  return false;
}

void Footprints::begin(Pc pc, u64 path, const PlaceFootprint& item) {
  Site& s = site(pc);
  const bool known = s.pc == pc && s.path == path && s.serial == serial_;
  items_[count_] = item;
  s = {pc, path, serial_, count_, known ? s.now : count_};
  ++count_;
}

}  // namespace bigfoot::rt
