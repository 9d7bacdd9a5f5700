// What the user does not want to see, in the language of the sanitizers' suppression files:
//
//   # comment
//   race:pattern            function, file or module of any frame, or the variable, of a race
//   race_top:pattern        the same, but only the innermost frame of an access
//   called_from_lib:pattern an access made for this library by a function of the C library
//   fingerprint:digits      this one report
//   race_pair:A <-> B       races between an access in function or file A and one in B
//   race_function:pattern   the function that makes an access
//   race_variable:pattern   the variable
//   race_field:pattern      the member of a type that is accessed, Account.balance
//   race_library:pattern    the executable or library whose code makes an access
//   thread: mutex: signal: deadlock:   the other kinds of reports
//
// `[until 2027-01-31]` before the type ends it with that day: then it hides nothing any more, and
// what it would have hidden is counted.
//
// A pattern matches anywhere in a name; `*` stands for anything, `^` and `$` for the name's ends.
#pragma once

#include "runtime/options/options.h"
#include "runtime/report/resolved.h"

namespace bigfoot::rt::report {

enum class SuppressionType : u8 {
  kRace,
  kRaceTop,
  kCalledFromLib,
  kThread,
  kMutex,
  kSignal,
  kDeadlock,
  kFingerprint,
  kRacePair,
  kRaceFunction,
  kRaceVariable,
  kRaceField,
  kRaceLibrary,
};

struct Suppression {
  SuppressionType type = SuppressionType::kRace;
  Text pattern;
  Text source;  // file name, or the function that supplied it
  u32 line = 0;
  u64 hits = 0;
  Text until;  // "2027-01-31", or empty
  bool expired = false;
  u64 missed = 0;  // reports that it would have hidden, had it not expired
  Suppression* next = nullptr;
};

// Empty names match nothing.
bool pattern_matches(Text pattern, Text name);

// Whether it is a day of the calendar, as "2027-01-31".
bool is_day(Text text);

class Suppressions {
 public:
  explicit Suppressions(Keeper& keeper) : keeper_(keeper) {}

  // The program's __tsan_default_suppressions and __bf_default_suppressions and the file of the
  // options. Bad input ends the process with one line (usage_error).
  void load(const Options& options);

  // False at the first bad line, described in `error` as "source:line: what".
  bool parse(Text text, Text source, TextBuffer& error);

  // The day that expiry is compared with; today's, unless a test says otherwise. Before parse().
  void set_today(Text day) { today_ = keeper_.copy(day); }

  // The first one that covers the report and has not expired, or null. Counts nothing but what
  // expired ones miss.
  Suppression* match(const Report& report) const;

  usize count() const { return count_; }
  Suppression* first() const { return first_; }

  // What print_suppressions and report_unused_suppressions ask for.
  void list_matched(TextBuffer& to) const;
  void list_unused(TextBuffer& to) const;
  // Expired ones that would have hidden something.
  void list_expired(TextBuffer& to) const;

 private:
  bool add_line(Text line, Text source, u32 number, TextBuffer& error);
  bool take_until(Text& line, Text& until, TextBuffer& error);
  bool load_file(const char* path);
  Text today();

  Keeper& keeper_;
  Suppression* first_ = nullptr;
  Suppression* last_ = nullptr;
  usize count_ = 0;
  Text today_;
};

// How it is written in a file.
Text name_of(SuppressionType type);

}  // namespace bigfoot::rt::report
