// The accuracy study of the LARD paper (Tables 2 and 3): seven detectors on one execution.
//
// The execution is recorded once and replayed into the race detector through lard.h, each time with
// one of the interface's operations left out, or all of them. What is compared is every single
// access: does this detector report a race at it?
#pragma once

#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "frontends/bfj/vm/recorder.h"

namespace bigfoot::vm {

// What a detector makes of an execution.
struct StudyDetector {
  std::string_view name;
  bool system_accesses;  // it takes the system's accesses for the program's
  bool system_sync;      // and the system's synchronisation
  bool clears;           // it hears that memory is reused
  bool copies;           // that memory moves
  bool threads;          // which thread of the program runs
};

inline constexpr std::array<StudyDetector, 7> kStudyDetectors = {{
    {"LARD", false, false, true, true, true},
    {"AllMem", true, false, true, true, true},
    {"AllSync", false, true, true, true, true},
    {"NoClear", false, false, false, true, true},
    {"NoCopy", false, false, true, false, true},
    {"NoThread", false, false, true, true, false},
    {"Naive", true, true, false, false, false},
}};

// Whether each event is an access with a race at it.
std::vector<bool> replay(const std::vector<RecordedEvent>& events, const StudyDetector& detector);

// Racy accesses and the distinct places in text or system they are at.
struct StudyCounts {
  std::uint64_t accesses = 0;
  std::uint64_t places = 0;
};
// The accesses that are racy in `these` but not in `those`.
StudyCounts difference(const std::vector<RecordedEvent>& events, const std::vector<bool>& these,
                       const std::vector<bool>& those);
StudyCounts total(const std::vector<RecordedEvent>& events, const std::vector<bool>& these);
std::set<bfj::Location> racy_locations(const std::vector<RecordedEvent>& events,
                                       const std::vector<bool>& racy);

}  // namespace bigfoot::vm
