#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include "runtime/base/numbers.h"
#include "runtime/model/gguf/gguf_metadata.h"
#include "runtime/model/gguf/load_gguf.h"

namespace outrider::model {
namespace {

constexpr std::string_view kSamplingPrefix = "general.sampling.";
constexpr std::string_view kUnknownSampling[] = {"general.sampling.xtc_probability",  // 0: off
                                                 "general.sampling.mirostat"};

/// A number that is stored with 32 bits, as it was written down: 0.95, where the nearest such number is 0.949999988.
double as_written(double stored) {
  const auto single = static_cast<float>(stored);
  if (static_cast<double>(single) != stored) return stored;
  return parse_real(fmt::format("{}", single)).value_or(stored);
}

}  // namespace

std::optional<OwnSampling> gguf_own_sampling(const GgufFile& file) {
  const auto is_of_sampling = [](const auto& entry) {
    return std::string_view(entry.first).starts_with(kSamplingPrefix);
  };
  if (std::none_of(file.metadata().begin(), file.metadata().end(), is_of_sampling))
    return std::nullopt;
  const GgufMetadata settings(file);
  const auto number = [&](const std::string& key, double low,
                          double high) -> std::optional<double> {
    const GgufValue* value = file.find(key);
    if (value == nullptr) return std::nullopt;
    if (!std::holds_alternative<std::uint64_t>(*value) &&
        !std::holds_alternative<std::int64_t>(*value))
      return as_written(*settings.number(key, low, high));
    return static_cast<double>(*settings.integer(key, static_cast<std::int64_t>(std::ceil(low)),
                                                 static_cast<std::int64_t>(high)));
  };
  OwnSampling own =
      read_own_sampling(number, std::string(kSamplingPrefix), "temp", "penalty_repeat");
  own.file = file.name();
  // The penalty is of so many last tokens; -1: of prompt and text, as ours is.
  constexpr std::string_view kWindow = "general.sampling.penalty_last_n";
  const double window = number(std::string(kWindow), -1, 1e9).value_or(-1);
  if (window == 0) own.repetition_penalty = 1;
  if (window > 0 && own.repetition_penalty != 1) own.left_out.emplace_back(kWindow);
  for (const std::string_view key : kUnknownSampling)
    if (number(std::string(key), -1, 100).value_or(0) != 0) own.left_out.emplace_back(key);
  return own;
}

}  // namespace outrider::model
