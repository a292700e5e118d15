#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/huggingface/hf_config_parts.h"

namespace outrider::model {
namespace {

constexpr const char* kSliding = "sliding_attention";
constexpr const char* kFull = "full_attention";

/// The layers of a type that have windows.
enum class Where : std::uint8_t {
  kNowhere,
  kEverywhere,
  kAlternating,  // all but every so many, or by `layer_types`
  kFromLayer,    // with `use_sliding_window`: from `max_window_layers` on, or by `layer_types`
};

struct WindowRule {
  std::string_view model_type;
  Where where;
  int when_absent;  // the window if the key is absent; 0: none (null: none too)
};

constexpr WindowRule kRules[] = {
    {"gpt_oss", Where::kAlternating, 128},      {"gemma2", Where::kAlternating, 4096},
    {"gemma3_text", Where::kAlternating, 4096}, {"mistral", Where::kEverywhere, 4096},
    {"mixtral", Where::kEverywhere, 0},         {"phi3", Where::kEverywhere, 0},
    {"qwen2", Where::kFromLayer, 4096},         {"qwen3", Where::kFromLayer, 4096}};
constexpr int kFirstLayerWhenAbsent = 28;

WindowRule rule_of(std::string_view model_type) {
  for (const WindowRule& rule : kRules)
    if (rule.model_type == model_type) return rule;
  return {model_type, Where::kNowhere, 0};
}

int read_window(const JsonObject& file, const WindowRule& rule) {
  const auto given = file.integer("sliding_window", 1, limits::kContext);
  const auto used = file.flag("use_sliding_window");
  if (rule.where == Where::kNowhere) {
    if (given && used.value_or(true))
      file.fail("sliding_window", std::to_string(*given),
                fmt::format("null: the type {} has no windows", rule.model_type));
    return 0;
  }
  if (rule.where == Where::kFromLayer && !used.value_or(false)) return 0;
  if (given) return static_cast<int>(*given);
  return file.has("sliding_window") ? 0 : rule.when_absent;
}

/// Every so many layers, counted from 1, one is without a window.
int pattern_of(const JsonObject& file, const WindowRule& rule) {
  if (rule.model_type == "gemma2" || rule.model_type == "gpt_oss") return 2;
  const char* const key =
      file.has("sliding_window_pattern") ? "sliding_window_pattern" : "_sliding_window_pattern";
  return static_cast<int>(file.integer(key, 1, limits::kLayers).value_or(6));
}

/// For types with windows by layer, `layer_types` decides; for others it must agree with the rest.
void apply_layer_types(const JsonObject& file, const WindowRule& rule, int window,
                       std::vector<int>& windows) {
  const nlohmann::json* types = file.find("layer_types");
  if (types == nullptr) return;
  if (!types->is_array() || types->size() != windows.size())
    file.fail("layer_types", "of another type",
              fmt::format("a list of {} strings", windows.size()));
  for (std::size_t layer = 0; layer < windows.size(); ++layer) {
    const nlohmann::json& stated = (*types)[layer];
    const std::string type = stated.is_string() ? stated.get<std::string>() : "";
    if (type != kSliding && type != kFull)
      file.fail("layer_types", "an unknown value", fmt::format("'{}' or '{}'", kFull, kSliding));
    if (rule.where == Where::kFromLayer || rule.where == Where::kAlternating)
      windows[layer] = type == kSliding ? window : 0;
    const char* expected = windows[layer] > 0 ? kSliding : kFull;
    if (type != expected)
      file.fail(
          "layer_types", fmt::format("'{}' in layer {}", type, layer),
          fmt::format("'{}', as it has {} window", expected, windows[layer] > 0 ? "a" : "no"));
  }
}

}  // namespace

void read_windows(const JsonObject& file, ModelConfig& shape) {
  const WindowRule rule = rule_of(shape.architecture);
  const int window = read_window(file, rule);
  int first = 0;
  if (rule.where == Where::kFromLayer)
    first = static_cast<int>(
        file.integer("max_window_layers", 0, limits::kContext).value_or(kFirstLayerWhenAbsent));
  shape.windows.assign(static_cast<std::size_t>(shape.layers), 0);
  std::fill(shape.windows.begin() + std::min(first, shape.layers), shape.windows.end(), window);
  if (rule.where == Where::kAlternating) {
    const int every = pattern_of(file, rule);
    for (int layer = every; layer <= shape.layers; layer += every)
      shape.windows[static_cast<std::size_t>(layer - 1)] = 0;
  }
  apply_layer_types(file, rule, window, shape.windows);
  if (std::all_of(shape.windows.begin(), shape.windows.end(), [](int w) { return w == 0; }))
    shape.windows.clear();
}

}  // namespace outrider::model
