#include "tools/driver/detectors.h"

#include <algorithm>
#include <array>

namespace bigfoot::driver {
namespace {

constexpr std::array kDetectors = {
    Detector{"fasttrack", ""},
    Detector{"redcard", "-bigfoot-detector=redcard"},
    Detector{"slimstate", "-bigfoot-detector=slimstate"},
    Detector{"slimcard", "-bigfoot-detector=slimcard"},
    Detector{"bigfoot", "-bigfoot-detector=bigfoot"},
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

std::string detector_names() {
  std::string list;
  for (const Detector& detector : kDetectors) {
    if (!list.empty()) list += ", ";
    list += detector.name;
  }
  return list;
}

}  // namespace bigfoot::driver
