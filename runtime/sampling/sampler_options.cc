#include "runtime/sampling/sampler_options.h"

#include <fmt/core.h>

#include <set>
#include <string_view>

#include "runtime/base/error.h"

namespace outrider::sampling {
namespace {

void require(std::string_view flag, double value, double low, double high) {
  // Written so that NaN fails.
  if (!(value >= low && value <= high))
    throw InputError(
        fmt::format("{}: expected a number from {} to {}, found {}", flag, low, high, value));
}

}  // namespace

void check(const SamplerOptions& options, int vocab) {
  require("--temperature", options.temperature, 0, 100);
  if (options.top_k < 0)
    throw InputError(
        fmt::format("--top-k: expected a whole number of at least 0, found {}", options.top_k));
  require("--top-p", options.top_p, 0, 1);
  require("--min-p", options.min_p, 0, 1);
  require("--repetition-penalty", options.repetition_penalty, 0.01, 100);
  require("--presence-penalty", options.presence_penalty, -100, 100);
  require("--frequency-penalty", options.frequency_penalty, -100, 100);
  std::set<Token> seen;
  for (const auto& [token, bias] : options.logit_bias) {
    if (token < 0 || token >= vocab)
      throw InputError(fmt::format("--logit-bias: expected a token id from 0 to {}, found {}",
                                   vocab - 1, token));
    require(fmt::format("--logit-bias {}", token), bias, -1e6, 1e6);
    if (!seen.insert(token).second)
      throw InputError(fmt::format("--logit-bias: token {} is given twice; give it once", token));
  }
}

}  // namespace outrider::sampling
