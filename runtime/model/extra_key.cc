#include "runtime/model/extra_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace outrider::model {
namespace {

struct KnownArchitecture {
  std::string_view name;  // or a part of it
  std::string_view reason;
};

constexpr std::string_view kRecurrent =
    "layers with a recurrent state, out of which a refused draft cannot be taken";
constexpr std::string_view kImages = "a model of images and text";
constexpr std::string_view kEncoder = "an encoder, which generates no text";

/// The first that fits counts: a hybrid may have experts too.
constexpr KnownArchitecture kArchitectures[] = {
    {"mamba", kRecurrent},
    {"rwkv", kRecurrent},
    {"lfm2", kRecurrent},
    {"jamba", kRecurrent},
    {"hybrid", kRecurrent},
    {"falcon-h1", kRecurrent},
    {"falcon_h1", kRecurrent},
    {"qwen3next", kRecurrent},
    {"qwen3_next", kRecurrent},
    {"qwen35", kRecurrent},
    {"qwen3_5", kRecurrent},
    {"recurrentgemma", kRecurrent},
    {"plamo2", kRecurrent},
    {"nemotron_h", kRecurrent},
    {"moe", kExperts},
    {"mixtral", kExperts},
    {"deepseek", kExperts},
    {"dbrx", kExperts},
    {"grok", kExperts},
    {"llama4", kExperts},
    {"arctic", kExperts},
    {"bert", kEncoder},
    {"llava", kImages},
    {"vl", kImages},
    {"clip", kImages},
    {"mllama", kImages},
    {"paligemma", kImages},
    {"idefics", kImages},
    {"gemma3n", "embeddings of every layer"},
    {"gemma3", kImages},
};

}  // namespace

std::string extra_key_error(const ExtraKey& key, std::optional<double> value,
                            std::string_view shown) {
  if (value == key.harmless) return {};
  return fmt::format("'{}' is {}: {}, which is not supported", key.name, shown, key.meaning);
}

std::string named_architecture(std::string_view name) {
  const auto* known =
      std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                   [&](const auto& of) { return name.find(of.name) != std::string_view::npos; });
  if (known == std::end(kArchitectures)) return fmt::format("'{}'", name);
  return fmt::format("'{}', {}", name, known->reason);
}

}  // namespace outrider::model
