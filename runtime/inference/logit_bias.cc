#include "runtime/inference/logit_bias.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::inference {

std::pair<Token, double> parse_bias(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto id = parse_integer(text.substr(0, equals));
  const auto bias =
      equals == std::string::npos ? std::nullopt : parse_real(text.substr(equals + 1));
  // The sampler compares ids with the vocabulary; here they only have to fit the type.
  if (!id || !bias || *id < 0 || *id > INT32_MAX) {
    throw InputError(fmt::format(
        "--logit-bias: expected ID=X, a token id and a number such as 2=-5, found '{}'", text));
  }
  return {static_cast<Token>(*id), *bias};
}

}  // namespace outrider::inference
