#include "tools/driver/detectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/parse_helper.h"

namespace bigfoot::driver {
namespace {

TEST(Detectors, DefaultIsOneOfThem) {
  EXPECT_NE(find_detector(default_detector()), nullptr);
}

TEST(Detectors, EachIsAcceptedAndListed) {
  ASSERT_EQ(detectors().size(), 5u);
  for (const Detector& detector : detectors()) {
    EXPECT_EQ(refusal_of({"--detector=" + std::string(detector.name), "a.c"}), "");
    EXPECT_THAT(detector_names(), testing::HasSubstr(std::string(detector.name)));
  }
}

TEST(Detectors, UnknownNameIsNotFound) {
  EXPECT_EQ(find_detector(""), nullptr);
  EXPECT_EQ(find_detector("FastTrack"), nullptr);
}

}  // namespace
}  // namespace bigfoot::driver
