// The version of the contract between the compiler plugin and the run time.
//
// Every instrumented module passes its version to __bf_module_init; a run time that speaks another
// one refuses to start, because miscounting silently is worse.
//
//   1  first version: planes of 16-byte cells, regions of 64 MiB, shadow call stack.
//   2  a read is settled by the cell's read word alone; reads that a write follows (update entries).
//   3  more library functions have wrappers (library_wrappers.def).
//   4  whole checks as calls (check_*).
//   5  fields that are checked together (groups.h).
//   6  modules say whether each access waits for its check (ModuleFlags).
//   7  globals that are arrays (arrays.h).
//   8  cursors of sweeps over arrays, moved by instrumented code (Cursor, the *_at entries).
//   9  accesses side by side in one check (the *_parts entries).
//  10  cursors tell what their place has done in this epoch (Cursor, kAgain).
//  11  cells of pieces smaller than a word are in leaves (layout.h).
//  12  a cell of plane 8 may speak for some of its bytes; tests of groups look at its mark (kMarkedBit).
//  13  functions that may call themselves push marks, and look for theirs below their caller's frame.
#pragma once

#include <cstdint>

namespace bigfoot::abi {
inline constexpr std::uint32_t kAbiVersion = 13;

// What a module says of itself, combined by |.
enum ModuleFlags : std::uint32_t {
  // Every check stands before its accesses, and no access was moved before its check.
  kChecksFirst = 1,
};

}  // namespace bigfoot::abi
