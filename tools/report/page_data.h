// What the page shows, as one JSON document.
//
// Thousands of races share few places: frames, stacks and files are tables that the races refer to
// by number, and of each file only the lines around the places are there.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/report/outputs.h"

namespace bigfoot::report {

nlohmann::json page_data(const Collection& collection, const Setting& setting);

}  // namespace bigfoot::report
