#include "runtime/decode/sampler_options.h"

#include <fmt/core.h>

#include <cmath>
#include <set>

#include "runtime/base/error.h"

namespace outrider::decode {
namespace {

void require(const char* flag, double value, double low, double high) {
  // Written so that NaN fails.
  if (!(value >= low && value <= high))
    throw InputError(
        fmt::format("{}: found {}, expected a number from {} to {}", flag, value, low, high));
}

}  // namespace

void check(const SamplerOptions& options, int vocab) {
  require("--temperature", options.temperature, 0, 100);
  require("--top-k", options.top_k, 0, 2147483647);
  require("--top-p", options.top_p, 0, 1);
  require("--min-p", options.min_p, 0, 1);
  require("--repetition-penalty", options.repetition_penalty, 0.01, 100);
  require("--presence-penalty", options.presence_penalty, -100, 100);
  require("--frequency-penalty", options.frequency_penalty, -100, 100);
  std::set<Token> seen;
  for (const auto& [token, bias] : options.logit_bias) {
    if (token < 0 || token >= vocab)
      throw InputError(
          fmt::format("--logit-bias {}={}: expected a token id below {}", token, bias, vocab));
    if (!std::isfinite(bias) || std::abs(bias) > 1e6)
      throw InputError(
          fmt::format("--logit-bias {}={}: expected a bias from -1e6 to 1e6", token, bias));
    if (!seen.insert(token).second)
      throw InputError(fmt::format("--logit-bias: token {} is given twice", token));
  }
}

}  // namespace outrider::decode
