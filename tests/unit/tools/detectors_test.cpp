#include "tools/driver/detectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/parse_helper.h"

namespace bigfoot::driver {
namespace {

TEST(Detectors, DefaultIsAvailable) {
  const Detector* detector = find_detector(default_detector());
  ASSERT_NE(detector, nullptr);
  EXPECT_TRUE(detector->available);
}

TEST(Detectors, EachIsAcceptedExactlyIfAvailable) {
  ASSERT_EQ(detectors().size(), 5u);
  for (const Detector& detector : detectors()) {
    const std::string refusal = refusal_of({"--detector=" + std::string(detector.name), "a.c"});
    EXPECT_EQ(refusal.empty(), detector.available) << detector.name << ": " << refusal;
    const bool listed = available_detectors().find(detector.name) != std::string::npos;
    EXPECT_EQ(listed, detector.available) << detector.name;
  }
}

TEST(Detectors, UnknownNameIsNotFound) {
  EXPECT_EQ(find_detector(""), nullptr);
  EXPECT_EQ(find_detector("FastTrack"), nullptr);
}

}  // namespace
}  // namespace bigfoot::driver
