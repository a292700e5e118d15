#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace outrider::model {

/// A key of a model's description that is not computed with. At one value it has no effect; at any other it asks
/// for something that is not supported.
struct ExtraKey {
  std::string_view name;
  double harmless;           // the value without effect; flags are 0 and 1
  std::string_view meaning;  // of the other values: "a mixture of experts"
};

/// What a mixture of experts is called in every message.
inline constexpr std::string_view kExperts = "a mixture of experts";

/// What is wrong with an extra key's value; empty if it has no effect.
/// @param value  nothing if it is no number and no flag
/// @param shown  the value, for the message
std::string extra_key_error(const ExtraKey& key, std::optional<double> value,
                            std::string_view shown);

/// An architecture that is not supported, for messages: its name in quotes, and what its models are where the name
/// tells: "'qwen3moe', a mixture of experts".
/// @param name  general.architecture of a GGUF file, or model_type of a config.json
std::string named_architecture(std::string_view name);

}  // namespace outrider::model
