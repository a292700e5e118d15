#include "runtime/base/json_number.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace outrider {
namespace {

using nlohmann::json;

TEST(JsonNumber, OnlyWholeNumbersWithinInt64AreRead) {
  EXPECT_EQ(whole_number(json::parse("-3")), -3);
  EXPECT_EQ(whole_number(json::parse("9223372036854775807")), INT64_MAX);
  for (const char* text :
       {"9223372036854775808", "1.0", "1e2", "1e300", "-1e300", "true", "\"1\"", "null", "[1]"})
    EXPECT_EQ(whole_number(json::parse(text)), std::nullopt) << text;
}

TEST(JsonNumber, ARequiredNumberMustFitItsType) {
  EXPECT_EQ(require_whole_number<int>(json(2147483647), "f"), 2147483647);
  EXPECT_EQ(require_whole_number<std::uint64_t>(json(5), "f"), 5u);
  EXPECT_THROW(require_whole_number<int>(json(2147483648), "f"), InputError);
  EXPECT_THROW(require_whole_number<std::uint64_t>(json(-1), "f"), InputError);
  try {
    require_whole_number<int>(json(1e300), "file: 'key'");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "file: 'key': expected a whole number from -2147483648 to 2147483647, found 1e+300");
  }
}

TEST(JsonNumber, TheMessageNamesFileAndKey) {
  const json object = {{"step", 1.5}};
  try {
    whole_number_at<int>(object, "step", "m.json");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("m.json: 'step'"), std::string::npos);
  }
  EXPECT_THROW(whole_number_at<int>(object, "other", "m.json"), json::out_of_range);
}

}  // namespace
}  // namespace outrider
