#include "runtime/sampling/sampler_options.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_input_error.h"

namespace outrider::sampling {
namespace {

constexpr int kTokens = 100;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

void expect_refused(const SamplerOptions& options, const std::string& flag,
                    const std::string& range, const std::string& found) {
  test::expect_input_error([&] { check(options, kTokens); }, flag + ": expected", range,
                           "found " + found);
}

TEST(SamplerOptions, AreTakenWithinTheirRanges) {
  EXPECT_NO_THROW(check({}, kTokens));
  EXPECT_NO_THROW(check({.temperature = 1e-300}, kTokens));
  EXPECT_NO_THROW(check({.temperature = 100,
                         .top_k = 2'000'000'000,
                         .top_p = 0,
                         .min_p = 1,
                         .repetition_penalty = 0.01,
                         .presence_penalty = -100,
                         .frequency_penalty = 100,
                         .logit_bias = {{0, -1e6}, {99, 1e6}}},
                        kTokens));
}

TEST(SamplerOptions, AreRefusedByFlagRangeAndValue) {
  expect_refused({.temperature = -0.5}, "--temperature", "from 0 to 100", "-0.5");
  expect_refused({.temperature = 101}, "--temperature", "from 0 to 100", "101");
  expect_refused({.top_k = -1}, "--top-k", "at least 0", "-1");
  expect_refused({.top_p = 1.5}, "--top-p", "from 0 to 1", "1.5");
  expect_refused({.min_p = -0.1}, "--min-p", "from 0 to 1", "-0.1");
  expect_refused({.repetition_penalty = 0}, "--repetition-penalty", "from 0.01 to 100", "0");
  expect_refused({.presence_penalty = 101}, "--presence-penalty", "from -100 to 100", "101");
  expect_refused({.frequency_penalty = -101}, "--frequency-penalty", "from -100 to 100", "-101");
}

TEST(SamplerOptions, AreRefusedWhenNotFinite) {
  for (const double value : {kNotANumber, kEndless, -kEndless}) {
    const std::string found = value != value ? "nan" : value > 0 ? "inf" : "-inf";
    expect_refused({.temperature = value}, "--temperature", "from 0 to 100", found);
    expect_refused({.top_p = value}, "--top-p", "from 0 to 1", found);
    expect_refused({.min_p = value}, "--min-p", "from 0 to 1", found);
    expect_refused({.repetition_penalty = value}, "--repetition-penalty", "to 100", found);
    expect_refused({.presence_penalty = value}, "--presence-penalty", "to 100", found);
    expect_refused({.frequency_penalty = value}, "--frequency-penalty", "to 100", found);
    expect_refused({.logit_bias = {{7, value}}}, "--logit-bias 7", "to 1000000", found);
  }
}

TEST(SamplerOptions, BiasOnlyTokensThatThereAreAndOnlyOnce) {
  expect_refused({.logit_bias = {{100, 1.0}}}, "--logit-bias", "from 0 to 99", "100");
  expect_refused({.logit_bias = {{-1, 1.0}}}, "--logit-bias", "from 0 to 99", "-1");
  test::expect_input_error(
      [] {
        check({.logit_bias = {{5, 1.0}, {6, 1.0}, {5, 2.0}}}, kTokens);
      },
      "--logit-bias: token 5 is given twice");
}

}  // namespace
}  // namespace outrider::sampling
