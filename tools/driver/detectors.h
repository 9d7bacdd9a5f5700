// The detectors a program can be compiled for: the one list of their names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bigfoot::driver {

struct Detector {
  std::string_view name;
  // The plugin's option (as for -mllvm) that selects it. Empty: what the plugin does unasked.
  std::string_view plugin_option;
};

// All of them, in the order of the design's table.
std::span<const Detector> detectors();

// The entry of that name, or null.
const Detector* find_detector(std::string_view name);

// What `--detector=` means when nobody says anything.
std::string_view default_detector();

// "fasttrack, ...", for messages.
std::string detector_names();

}  // namespace bigfoot::driver
