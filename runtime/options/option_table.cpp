#include "runtime/options/option_table.h"

namespace bigfoot::rt {
namespace {

using enum OptionOrigin;

constexpr OptionEntry kEntries[] = {
#define BF_FLAG(name, fallback, origin, description) \
  {#name, OptionType::kFlag, origin, offsetof(Options, name), 1, "", description},
#define BF_NUMBER(name, fallback, largest, origin, description) \
  {#name, OptionType::kNumber, origin, offsetof(Options, name), largest, "", description},
#define BF_TEXT(name, fallback, origin, description) \
  {#name, OptionType::kText, origin, offsetof(Options, name), 0, "", description},
#define BF_CHOICE(name, fallback, values, origin, description) \
  {#name, OptionType::kChoice, origin, offsetof(Options, name), 0, values, description},
#include "runtime/options/options.def"
    {nullptr, OptionType::kFlag, kOwn, 0, 0, "", ""},
};

constexpr IgnoredOption kIgnored[] = {
#define BF_IGNORED(name, reason) {#name, reason},
#include "runtime/options/tsan_ignored.def"
    {nullptr, ""},
};

}  // namespace

const OptionEntry* option_entries() {
  return kEntries;
}
const IgnoredOption* ignored_options() {
  return kIgnored;
}

}  // namespace bigfoot::rt
