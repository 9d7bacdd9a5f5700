// The ways of one access that its inlined test did not settle, or that has none.
//
// Entry points keep all general registers, so a function saves and restores every one that it
// uses, whichever way it goes: with all ways in one function that was two dozen instructions for an
// access that needs thirty. Here each way is a function of its own, which ends or jumps to the next
// one. They are jumped to, not called, so the return address is still the program's, by which the
// access is known.
//
//   an inlined test --------------+--> in_claimed ---> by_mask, in_several_cells
//   a called check --> first look +--> in_nobodys ---> a sweep over an array, or
//                                 +--> in_shared ----> the planes
//
// Who has the block decides first (shadow/claims.h): most accesses that are not settled are in
// blocks that the epoch has claimed, and those of arrays with a shadow of their own in blocks that
// are nobody's. Then what the word's cell says. Nothing of that is relied upon: who changes cells
// looks again inside of the run time, and ends with a look for signals that came meanwhile.
#pragma once

#include "runtime/context/claimed_run.h"
#include "runtime/context/slow_path.h"

#define BF_HERE reinterpret_cast<uptr>(__builtin_return_address(0))
#define BF_APART [[gnu::noinline]] BF_SPARE
// The end of a function that has been inside.
#define BF_LEAVE(...)                                                   \
  if (BF_UNLIKELY(__bf_thread.signal_pending != 0)) [[clang::musttail]] \
  return signals_waited(__VA_ARGS__)

namespace bigfoot::rt {

inline PlaceKey site_of(const void* site) {
  return PlaceKey::of_site(reinterpret_cast<uptr>(site), __bf_thread.frame->path);
}
template <bool kWrites>
[[gnu::always_inline]] inline PlaceKey call_of(Pc pc, usize bytes) {
  return PlaceKey::of_call(pc, __bf_thread.frame->path, kind_of<kWrites>(), bytes);
}

inline void leave_sweep_of(const void*) {}
[[gnu::always_inline]] inline void leave_sweep_of(const void* p, const void* site) {
  leave_sweep(site_of(site), reinterpret_cast<uptr>(p));
}

template <class... Arguments>
BF_APART void signals_waited(Arguments...) {
  if (__bf_thread.inside == 0) deliver_pending_signals();
}

// `Site` is the byte that names a check in a loop, if it has one (abi::Cursor).
template <unsigned G, bool kWrites, Pieces kPieces, class... Site>
struct Ways {
  using Look = detail::Look;
  // Checks that are called look there first.
  static constexpr bool kRemembers = G != 8 && kPieces == Pieces::kByMask;
#define BF_GO(way) [[clang::musttail]] return way(p, site...)

  // The first steps are inlined into entry points, which call them in a tail call.
  //
  // Behind an inlined test. Few bytes have cells of their own, where that has looked.
  [[gnu::always_inline]] BF_SPARE static void behind_test(void* p, Site... site) {
    if constexpr (G == 1) [[clang::musttail]]
      return look_at_word(p, site...);
    [[clang::musttail]] return by_claim<Looked::kNowhere>(p, site...);
  }
  // A check that is called. Words have a cell where instrumented code looks inline where it is hot;
  // what smaller pieces have done is remembered.
  [[gnu::always_inline]] BF_SPARE static void whole_check(void* p, Site... site) {
    if constexpr (G == 8) {
      if (detail::inlined_test<8, kWrites>(address(p))) [[likely]]
        return;
      [[clang::musttail]] return by_claim<Looked::kNowhere>(p, site...);
    }
    if (SettledBytes::contain<kWrites>(__bf_thread, address(p), G)) [[likely]]
      return;
    BF_GO(check_cells);
  }
  BF_APART static void check_cells(void* p, Site... site) {
    SettledBytes::begin_look(__bf_thread);
    // Alone: nothing to record, and whoever comes later begins another epoch.
    if (BF_UNLIKELY(__bf_thread.stamp == abi::kStampSingle)) BF_GO(end);
    if (G != 1 && detail::inlined_test<G, kWrites>(address(p))) BF_GO(end);
    [[clang::musttail]] return look_at_word(p, site...);
  }
  [[gnu::always_inline]] BF_SPARE static void look_at_word(void* p, Site... site) {
    const Look look = detail::first_look<G, kWrites, kPieces>(address(p));
    if (look == Look::kSettled) BF_GO(end_by_word);
    if (look == Look::kByMask) BF_GO(by_mask);
    if (look == Look::kParts) BF_GO(in_several_cells);
    [[clang::musttail]] return by_claim<Looked::kAtTheWord>(p, site...);
  }
  // By who has the block.
  enum class Looked : u8 { kNowhere, kAtTheWord };
  template <Looked looked>
  [[gnu::always_inline]] BF_SPARE static void by_claim(void* p, Site... site) {
    const u32 claim = detail::claim_of(address(p));
    if (BF_LIKELY(claim == __bf_thread.usual)) {
      if (G == 8 || detail::is_kept_in_plane<G>(address(p))) BF_GO(in_its_plane);
      BF_GO(in_claimed<looked>);
    }
    if (claim == shadow::kUnclaimed) BF_GO(in_nobodys);
    if (claim == shadow::kShared) BF_GO(in_shared);
    BF_GO(in_anothers);
  }

  // The first access of an epoch to a piece that has a cell where its inlined test looks, in a
  // block that the epoch has claimed: most accesses to pieces that are not settled.
  BF_APART static void in_its_plane(void* p, Site... site) {
    const bool done = detail::try_claimed_piece<G, kWrites>(
        address(p), BF_HERE, [&]() __attribute__((always_inline)) { note(p); });
    if (BF_UNLIKELY(!done)) BF_GO(in_claimed<Looked::kAtTheWord>);
    BF_LEAVE(p, site...);
  }
  // To any other in such a block.
  template <Looked looked>
  BF_APART static void in_claimed(void* p, Site... site) {
    if constexpr (looked == Looked::kNowhere && G != 8) {
      const Look look = detail::first_look<G, kWrites, kPieces>(address(p));
      if (look == Look::kSettled) BF_GO(end);
      if (look == Look::kByMask) BF_GO(by_mask);
      if (look == Look::kParts) BF_GO(in_several_cells);
    }
    if (!detail::try_claimed<G, kWrites>(address(p), BF_HERE)) BF_GO(in_other_cells);
    BF_GO(end);
  }
  // The end of an access that is settled now, or was before: it is remembered where checks ask.
  [[gnu::always_inline]] BF_SPARE static void end(void* p, Site... site) {
    if constexpr (kRemembers) BF_GO(remember);
    BF_LEAVE(p, site...);
  }
  BF_APART static void remember(void* p, Site... site) {
    detail::do_inside([&]() __attribute__((always_inline)) {
      if (SettledBytes::look_is_valid(__bf_thread)) note(p);
      return true;
    });
    BF_LEAVE(p, site...);
  }
  // The same of one that the word's cell has settled: so are the bytes around it, mostly.
  [[gnu::always_inline]] BF_SPARE static void end_by_word(void* p, Site... site) {
    if constexpr (kRemembers) BF_GO(remember_word);
    BF_LEAVE(p, site...);
  }
  BF_APART static void remember_word(void* p, Site... site) {
    detail::do_inside([&]() __attribute__((always_inline)) {
      const uptr a = address(p), word = a & ~uptr{7};
      const Cell* cell = shadow::detail::cell_from<8>(shadow::detail::cells_of<8>(a), a);
      const u32 bytes = detail::told_by_word<kWrites>(cell) | mask_of(a, G);
      if (SettledBytes::look_is_valid(__bf_thread))
        SettledBytes::add_bytes<kWrites>(__bf_thread, word, bytes);
      return true;
    });
    BF_LEAVE(p, site...);
  }
  // Another epoch has it.
  BF_APART static void in_anothers(void* p, Site... site) {
    if (!detail::try_claim(address(p))) BF_GO(in_shared);
    if (G == 8 || detail::is_kept_in_plane<G>(address(p))) BF_GO(in_its_plane);
    BF_GO(in_claimed<Looked::kNowhere>);
  }
  BF_APART static void in_shared(void* p, Site... site) {
    if constexpr (G != 8) {
      Look look = detail::first_look<G, kWrites, kPieces>(address(p));
      if (look == Look::kParts) look = detail::look_into_parts<G, kWrites>(address(p));
      if (look == Look::kSettled) BF_GO(end);
      if (look == Look::kParts || is_masked_or_part(address(p))) BF_GO(in_parts);
      BF_GO(in_planes_or_array);
    }
    if (BF_UNLIKELY(__bf_thread.usual != __bf_thread.stamp)) BF_GO(in_shared_first);
    const Quick q = detail::try_shared_word<kWrites>(address(p), BF_HERE);
    if (q == Quick::kMisplaced) return full_access<G, kWrites>(address(p), BF_HERE);
    if (!is_done(q)) BF_GO(in_planes_or_array);
    leave_sweep_of(p, site...);
    BF_LEAVE(p, site...);
  }
  BF_APART static void in_shared_first(void* p, Site... site) {
    const bool usual = detail::do_inside([] { return make_usual(); });
    if (usual && __bf_thread.usual == __bf_thread.stamp) BF_GO(in_shared);
    BF_GO(in_planes_or_array);
  }
  // Nobody has it: nothing of it that matters is in the planes. Or claims are not in use.
  BF_APART static void in_nobodys(void* p, Site... site) {
    if (BF_UNLIKELY(!shadow::claims_on)) BF_GO(in_shared);
    BF_GO(in_no_plane);
  }
  BF_APART static void in_no_plane(void* p, Site... site) {
    if (!runtime.arrays_on) BF_GO(in_planes);
    if (!sweep_goes_on(place(BF_HERE, site...), address(p))) BF_GO(with_arrays);
    BF_LEAVE(p, site...);
  }
  // Whatever the word's cell says.
  BF_APART static void in_other_cells(void* p, Site... site) {
    const uptr a = address(p);
    Look look = detail::first_look<G, kWrites, kPieces>(a);
    if (look == Look::kParts) look = detail::look_into_parts<G, kWrites>(a);
    if (look == Look::kByMask) BF_GO(by_mask);
    if (look == Look::kParts) BF_GO(in_parts);
    if (look != Look::kSettled) BF_GO(in_planes_or_array);
    BF_GO(end);
  }
  BF_APART static void in_several_cells(void* p, Site... site) {
    const Look look = detail::look_into_parts<G, kWrites>(address(p));
    if (look == Look::kSettled) BF_GO(end);
    if (look == Look::kParts) BF_GO(in_parts);
    [[clang::musttail]] return by_claim<Looked::kAtTheWord>(p, site...);
  }

  // More bytes of a word that is kept by masks, from the place that those before came from.
  BF_APART static void by_mask(void* p, Site... site) {
    const u32 claim = detail::claim_of(address(p));
    if (BF_UNLIKELY(claim == shadow::kUnclaimed) && shadow::claims_on) BF_GO(in_no_plane);
    if (!detail::try_claimed_alike<G, kWrites>(address(p), BF_HERE)) BF_GO(by_another_mask);
    leave_sweep_of(p, site...);
    BF_GO(end);
  }
  // Apart from the former, because it takes all registers.
  BF_APART static void by_another_mask(void* p, Site... site) {
    if (!detail::try_claimed_by_mask<G, kWrites>(address(p), BF_HERE)) {
      if (is_masked(load_relaxed(&shadow::cell_if_present<8>(address(p))->write))) BF_GO(in_parts);
      BF_GO(in_planes_or_array);
    }
    leave_sweep_of(p, site...);
    BF_GO(end);
  }

  // Memory with a history in the planes has no cursor that would be of use.
  BF_APART static void in_planes_or_array(void* p, Site... site) {
    if (detail::word_is_settled<G, kWrites>(address(p))) BF_GO(end);  // not aligned
    if (surely_in_planes<8>(address(p))) BF_GO(in_planes);
    BF_GO(in_no_plane);
  }
  BF_APART static void in_planes(void* p, Site... site) {
    leave_sweep_of(p, site...);
    if (slow_access<G, kWrites>(address(p), BF_HERE, kPieces)) BF_GO(end);
  }
  BF_APART static void in_parts(void* p, Site... site) {
    const uptr a = address(p);
    if (access_in_parts<G, kWrites>(a, BF_HERE, kPieces)) BF_GO(end);
    full_access<G, kWrites>(a, BF_HERE);
  }
  BF_APART static void with_arrays(void* p, Site... site) {
    const Pc pc = BF_HERE;
    slow_access_with_arrays<G, kWrites>(address(p), pc, place(pc, site...), kPieces);
  }

#undef BF_GO
 private:
  static uptr address(void* p) {
    return reinterpret_cast<uptr>(p);
  }
  // REQUIRES: inside.
  [[gnu::always_inline]] static void note(void* p) {
    if constexpr (kRemembers) SettledBytes::add<kWrites>(__bf_thread, address(p), G);
  }
  [[gnu::always_inline]] static PlaceKey place(Pc pc) {
    return call_of<kWrites>(pc, G);
  }
  [[gnu::always_inline]] static PlaceKey place(Pc, const void* site) {
    return site_of(site);
  }
  // Of a word that is kept by masks, or one part of its word in plane 1.
  static bool is_masked_or_part(uptr a) {
    const Cell* word = (a & (G - 1)) == 0 ? shadow::cell_if_present<8>(a) : nullptr;
    if (word == nullptr) return false;
    const u32 mark = load_relaxed(&word->write);
    return is_masked(mark) || (G != 1 && is_part<G>(mark, a & 7));
  }
};

}  // namespace bigfoot::rt
