#include "tools/driver/detectors.h"

#include <algorithm>
#include <array>

namespace bigfoot::driver {
namespace {

constexpr std::array kDetectors = {
    Detector{"fasttrack", true, ""},
    Detector{"redcard", true, "-bigfoot-detector=redcard"},
    Detector{"slimstate", true, "-bigfoot-detector=slimstate"},
    Detector{"slimcard", true, "-bigfoot-detector=slimcard"},
    Detector{"bigfoot", true, "-bigfoot-detector=bigfoot"},
};

}  // namespace

std::span<const Detector> detectors() {
  return kDetectors;
}

const Detector* find_detector(std::string_view name) {
  const auto* found = std::ranges::find(kDetectors, name, &Detector::name);
  return found == kDetectors.end() ? nullptr : found;
}

std::string_view default_detector() {
  return "bigfoot";
}

std::string available_detectors() {
  std::string list;
  for (const Detector& detector : kDetectors) {
    if (!detector.available) continue;
    if (!list.empty()) list += ", ";
    list += detector.name;
  }
  return list;
}

}  // namespace bigfoot::driver
