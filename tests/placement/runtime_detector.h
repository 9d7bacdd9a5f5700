// The run time's detector on the traces of the explorer: its clocks, its shadow planes and its
// array forms, driven by threads that exist in the test only
// (tests/unit/runtime/scripted_threads.h).
//
//               looks at    arrays                       proxies
//   fasttrack   accesses    per element                  none
//   slimstate   accesses    footprints, array forms      none
//   redcard     checks      per element                  fields, arrays
//   slimcard    checks      footprints, array forms      fields
//   bigfoot     checks      footprints, array forms      fields
#pragma once

#include <optional>
#include <string>

#include "frontends/bfj/shadow_map.h"
#include "frontends/bfj/trace_detector.h"
#include "runtime/array/array_shadow.h"

namespace bigfoot::bfj {

class RuntimeDetector final : public TraceDetector {
 public:
  enum class Looks : std::uint8_t { AtAccesses, AtChecks };
  struct Options {
    std::string name;
    Looks looks;
    std::optional<rt::ArrayForms> forms;  // nothing: per element
    ShadowMap shadow = {};
    bool address_precise = true;
  };
  explicit RuntimeDetector(Options options) : options_(std::move(options)) {}

  const char* name() const override { return options_.name.c_str(); }
  bool address_precise() const override { return options_.address_precise; }
  std::set<Location> reports(const std::vector<Event>& trace,
                             const std::vector<HeapObject>& heap) override;

 private:
  Options options_;
};

}  // namespace bigfoot::bfj
