// A race detector as the explorer sees it: given a trace, it says which locations it reports.
//
// The checks of a placement are judged by the definitions (oracle.h). What a detector then does
// with them - one shadow location for several fields, compressed arrays - is judged through this
// interface: its reports must be the trace's data races, address by address or as a whole.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "frontends/bfj/machine.h"

namespace bigfoot::bfj {

class TraceDetector {
 public:
  virtual ~TraceDetector() = default;
  virtual const char* name() const = 0;
  // Trace: what it reports is as a whole enough to tell racy traces from the others.
  virtual bool address_precise() const = 0;
  // `heap` describes the objects of the trace by their numbers. Each call starts from nothing.
  virtual std::set<Location> reports(const std::vector<Event>& trace,
                                     const std::vector<HeapObject>& heap) = 0;
};

}  // namespace bigfoot::bfj
