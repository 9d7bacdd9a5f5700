// The memory layout that instrumented code and the run time share.
//
// Instrumented code tests "has this thread already done such an access in its current epoch?" itself,
// without a call. For that it has to find the shadow cell of an address and the thread's current
// stamp, so the layout of both is part of the contract between compiler plugin and run time. Change
// anything here and kAbiVersion (abi/version.h) changes with it.
//
// Shadow cells. Memory is divided into words of 8 bytes. A word's history is kept at one of four
// granularities, and there is one plane of cells for each: a word accessed only as a whole has one
// cell in plane 8, a pair of ints has two cells in plane 4, text has eight cells in plane 1. The size
// of an access picks the plane its inlined test looks at, so every element size runs at full speed
// and the state of a byte never speaks for its neighbours.
//
//   cell (16 bytes)   | write stamp : 32 | write origin : 32 | read stamp : 32 | read origin : 32 |
//
// A plane's cells are found through a directory of regions of 64 MiB: no assumption is made about
// where the program's memory lies, so the tool starts under any address-space layout.
//
//   cell of a, in plane 8                     =  directory[8][a >> 26] + a * 2
//   cell of a, in the plane of g = 1, 2 or 4  =  leaf + a * (16 / g)
//   leaf                                      =  *(directory[g][a >> 26] + 8 * (a / (32 * g)))
//
// (what is found has the start of the region, or of the leaf, subtracted already; arithmetic wraps).
// Where nobody has checked anything yet, there is a zero: instrumented code then takes the slow path,
// which creates it. Plane 8 lies in memory as the program does. Of the others few cells are in use, a
// flag here and a count there, so that they are made 32 at a time, side by side in the order in which
// they are needed: in pages of their own they took ten to a hundred times as much memory, and an entry
// of the processor's address translation each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace bigfoot::abi {

inline constexpr unsigned kAddressBits = 47;  // user addresses of x86-64 Linux without 5-level hints
inline constexpr unsigned kRegionBits = 26;
inline constexpr std::size_t kRegionBytes = std::size_t{1} << kRegionBits;
inline constexpr std::size_t kRegionCount = std::size_t{1} << (kAddressBits - kRegionBits);

inline constexpr unsigned kCellBytes = 16;
inline constexpr unsigned kWriteStampOffset = 0;
inline constexpr unsigned kReadStampOffset = 8;

// Cells of a leaf, and the binary logarithm of how many bytes they speak for.
inline constexpr unsigned kLeafCells = 32;
constexpr unsigned leaf_shift(unsigned granularity) {
  return static_cast<unsigned>(std::countr_zero(kLeafCells * granularity));
}

// Several words with one history: the cell of the first, in plane 8, has the number of words less one
// in three bits of its first half (runtime/shadow/group.h). A check of all of them compares those as
// well as the stamp.
inline constexpr unsigned kGroupShift = 60;
inline constexpr std::uint64_t kGroupMask = std::uint64_t{7} << kGroupShift;
inline constexpr unsigned kMaxGroupWords = 7;
// Set in the first half of a cell of plane 8 that is no history of whole words, whatever its other bits.
inline constexpr std::uint64_t kMarkedBit = std::uint64_t{1} << 31;

// Planes in the order of the directories' symbols: granularity 1, 2, 4, 8.
inline constexpr unsigned kPlaneCount = 4;

// One frame of the shadow call stack, pushed at function entry.
struct Frame {
  std::uint64_t return_pc;  // where the function will return to
  std::uint64_t path;       // hash of all return addresses down to here; names the calling context
};

// Each step of the hash: (path ^ pc) * kPathMultiplier. Odd, so that no information is lost.
inline constexpr std::uint64_t kPathMultiplier = 0x9E3779B97F4A7C15ull;

// A function that may call itself pushes a mark below its frame: its name, and the path of the call
// that was not its own. If it finds its name below its caller's frame, it has called itself. Then its
// path is path_of_own_calls(), however deep it is and wherever it was called from; or each tree that
// is walked would make as many contexts as it has nodes.
//
//     | frame of main | walk, P | frame, path P | walk, P | frame, path ~P | walk, P | frame, path ~P |
//                       mark      first call      mark      its own call     mark      its own call
//
// The name is the complement of the address of a byte that belongs to the function, so it can be no
// return address, and no two functions have the same. A mark is a Frame with the name for the return
// address.
constexpr std::uint64_t mark_name(std::uint64_t address) {
  return ~address;
}
constexpr bool is_mark(const Frame& f) {
  return f.return_pc >> 63 != 0;
}
constexpr std::uint64_t path_of_own_calls(std::uint64_t first) {
  return ~first;
}

// Where a sweep over an array is: the accesses of one check in one calling context, to an array that
// has a shadow of its own. If the next access is the one expected, moving the cursor is all there is
// to do, and instrumented code does it itself. Each thread has a table of them.
//
// A check in a loop has a byte of its module's site table (aligned to kCursors), whose address names
// it; the last bits of that are its place in the table, and with the calling context it makes the name
// of the cursor's place. REQUIRES: `inside` is raised while a cursor is looked at and moved, and
// __bf_paused is zero after that; otherwise somebody may be about to take over what was swept.
// Whether an access is covered, or is where the cursor is, may be asked without; the place is compared
// behind it.
struct Cursor {
  std::uint64_t place;   // site ^ Frame::path, or what the run time calls it, and kAgain; 0: nobody's
  std::uint64_t at;      // the latest access
  std::uint64_t step;    // from there to the next one, modulo 2^64
  std::uint64_t low;     // the cursor stays in [low, low + span]
  std::uint64_t span;
  // Accesses that the place has done in this epoch already: see covers().
  std::uint64_t first;
  std::uint64_t inverse;  // of the odd factor of their distance, modulo 2^64
  std::uint64_t extent;   // their number less one, times 64, and the binary logarithm of the other factor
};
// Added to the place's name while a sweep is repeated: what follows is then sooner covered than next.
inline constexpr std::uint64_t kAgain = 1;
// Whether the access is one of those from `first` on, with their distance between them. Multiplied by the
// inverse and rotated by the logarithm, multiples of the distance become their numbers, and all others
// larger than any. Nothing is written, so `inside` need not be raised; but the place is compared after the
// rest was loaded: a handler of a signal may have come between.
constexpr bool covers(const Cursor& c, std::uint64_t address) {
  return std::rotr((address - c.first) * c.inverse, static_cast<int>(c.extent % 64)) <= c.extent / 64;
}
inline constexpr unsigned kCursorBits = 7;
inline constexpr unsigned kCursors = 1u << kCursorBits;
static_assert(sizeof(Cursor) == 64);

// The part of a thread's state that instrumented code touches; one per thread in static TLS, under
// the symbol __bf_thread.
struct ThreadHot {
  std::uint32_t stamp;   // names the thread's current epoch; kStampSingle while it runs alone
  std::uint32_t inside;  // how deep the run time is in its own code on this thread
  Frame* frame;          // the innermost frame of the shadow call stack
  void* thread;          // the run time's own record; null until the thread is attached
  std::uint32_t signal_pending;  // a handler waits for the run time to be left
  // The run time's own: the stamp, if nothing has to be told of the epoch before something more is
  // recorded, or kNotUsual.
  std::uint32_t usual;
  // Read words of cells that settle a read of this epoch: its own stamp, and the sets of concurrent
  // reads (see runtime/shadow/read_sets.h) known to contain it. A read word r is settled if
  // known_reads[known_index(r)] == r.
  std::uint32_t known_reads[128];
  // The cursors of sweeps that are going on, kCursors of them; never null.
  Cursor* cursors;
  // The run time's own: bytes that the epoch has accessed, the epoch's number there, and the number
  // when the cells were looked at last (runtime/context/settled_bytes.h).
  void* settled_bytes;
  std::uint64_t settled_epoch;
  std::uint64_t looked_epoch;
};

inline constexpr std::uint32_t kNotUsual = ~std::uint32_t{0};  // no claim is that
inline constexpr std::uint32_t kKnownReads = 128;
// The top bit of a read word tells a set from a stamp. It becomes the lowest bit of the index, so that
// stamps live at even places and sets at odd ones and no set can push the thread's stamp out.
inline constexpr unsigned kKnownRotation = 1;
constexpr std::uint32_t known_index(std::uint32_t read) {
  return (read << kKnownRotation | read >> (32 - kKnownRotation)) % kKnownReads;
}
// What an entry holds that settles nothing: a word that does not lead to it.
constexpr std::uint32_t known_nothing(std::uint32_t index) {
  return index == 0 ? 1 : 0;
}
static_assert(known_index(known_nothing(0)) != 0 && known_index(known_nothing(1)) != 1);

inline constexpr unsigned kThreadStampOffset = 0;
inline constexpr unsigned kThreadFrameOffset = 8;
inline constexpr unsigned kThreadKnownReadsOffset = 32;
inline constexpr unsigned kThreadInsideOffset = 4;
inline constexpr unsigned kThreadSignalOffset = 24;
inline constexpr unsigned kThreadCursorsOffset = 544;
static_assert(offsetof(ThreadHot, stamp) == kThreadStampOffset);
static_assert(offsetof(ThreadHot, inside) == kThreadInsideOffset);
static_assert(offsetof(ThreadHot, signal_pending) == kThreadSignalOffset);
static_assert(offsetof(ThreadHot, cursors) == kThreadCursorsOffset);
static_assert(offsetof(ThreadHot, frame) == kThreadFrameOffset);
static_assert(offsetof(ThreadHot, known_reads) == kThreadKnownReadsOffset);
static_assert(sizeof(ThreadHot::known_reads) == kKnownReads * sizeof(std::uint32_t));
static_assert(sizeof(Frame) == 16 && offsetof(Frame, path) == 8);

// What a build with counters (the driver's --bigfoot-count) counts, in the program's own code; one per
// thread in static TLS, under the symbol __bf_counters.
struct AccessCounters {
  std::uint64_t accesses;        // plain accesses executed
  std::uint64_t single_checks;   // checks of one access, or of a few neighbouring bytes
  std::uint64_t range_checks;    // checks of a contiguous range
  std::uint64_t strided_checks;  // checks of every n-th element
  std::uint64_t range_elements;  // elements covered by the checks of the last two kinds
};

// While only one thread exists nothing it does can race, so nothing is recorded, and a stamp of zero
// (known as a read word, too) makes the inlined tests pass on every cell that is still empty.
inline constexpr std::uint32_t kStampSingle = 0;
// Before a thread is known to the run time: matches no cell, so its first access takes the slow path.
inline constexpr std::uint32_t kStampUnattached = 0x7fffffff;

}  // namespace bigfoot::abi
