// How a check says which member of which type it checks.
//
// A report finds the source position of an access by the address of the check's call, in the line
// table of the debug information. The member goes the same way, so that it costs the program
// nothing: each row of a line table has a free number, DWARF's discriminator, and the row of a
// check carries the number of its member's name there. The names themselves are in a section of the
// file that is not loaded: zero-terminated texts, which the linker merges.
//
//   .debug_line       bank.cpp 12:40 discriminator 0x5d7c41b2
//   .bigfoot_fields   Account::balance_
//
// A check that left a loop may stand for accesses in several branches of it, and which of them
// touched a byte is not recorded. Its row names one of them; the others follow the member (which
// may be missing), each after a kOtherPlace: `Account::balance_\n/src/bank.cpp:14:7`.
//
// A number that no name of the file has, or that two have, says nothing. So another meaning of
// discriminators (profiling), another version of this rule or a stripped section lose names and
// never invent one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bigfoot::abi {

inline constexpr const char* kFieldSection = ".bigfoot_fields";
inline constexpr char kOtherPlace = '\n';

// FNV-1a. Never 0, which is the discriminator of rows that have none.
constexpr std::uint32_t field_number(const char* name, std::size_t size) {
  std::uint32_t hash = 0x811c9dc5;
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(name[i])) * 0x01000193;
  return hash == 0 ? 1 : hash;
}

}  // namespace bigfoot::abi
