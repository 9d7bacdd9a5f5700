// The options as data: what parser, help and documentation iterate over.
#pragma once

#include "runtime/base/text.h"
#include "runtime/options/options.h"

namespace bigfoot::rt {

enum class OptionType : u8 { kFlag, kNumber, kText, kChoice };
enum class OptionOrigin : u8 { kOwn, kTsan };

struct OptionEntry {
  const char* name;
  OptionType type;
  OptionOrigin origin;
  usize offset;         // of the field in Options
  u64 largest;          // numbers
  const char* choices;  // "a|b|c"
  const char* description;
};

struct IgnoredOption {
  const char* name;
  const char* reason;
};

// All entries, in the table's order; the last one is followed by one without a name.
const OptionEntry* option_entries();
const IgnoredOption* ignored_options();

inline const void* field(const Options& options, const OptionEntry& e) {
  return reinterpret_cast<const char*>(&options) + e.offset;
}
inline void* field(Options& options, const OptionEntry& e) {
  return reinterpret_cast<char*>(&options) + e.offset;
}

}  // namespace bigfoot::rt
