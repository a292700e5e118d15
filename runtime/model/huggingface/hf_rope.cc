#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/math.h"
#include "runtime/model/huggingface/hf_config_parts.h"
#include "runtime/model/yarn.h"

namespace outrider::model {
namespace {

constexpr double kDefaultBase = 10000;
constexpr std::string_view kRopeKeys[] = {"rope_type",
                                          "type",
                                          "rope_theta",
                                          "factor",
                                          "low_freq_factor",
                                          "high_freq_factor",
                                          "short_factor",
                                          "long_factor",
                                          "attention_factor",
                                          "beta_fast",
                                          "beta_slow",
                                          "mscale",
                                          "mscale_all_dim",
                                          "truncate",
                                          "partial_rotary_factor",
                                          "original_max_position_embeddings"};

// "su" is LongRoPE's earlier name.
constexpr std::string_view kRopeTypes[] = {"default", "linear", "llama3", "longrope", "su", "yarn"};

double required_number(const JsonObject& rope, const char* key, double low, double high) {
  rope.required(key);
  return *rope.number(key, low, high);
}

/// The context of the original training.
int original_context(const JsonObject& file, const JsonObject& rope) {
  constexpr const char* kKey = "original_max_position_embeddings";
  const JsonObject& object = file.find(kKey) != nullptr ? file : rope;
  return static_cast<int>(object.required_integer(kKey, 2, limits::kContext));
}

/// Llama 3's: frequencies with wavelengths above the original context / `low_freq_factor` are divided by
/// `factor`, high frequencies are unchanged, and those between are interpolated.
std::vector<float> llama3_divisors(const JsonObject& file, const JsonObject& rope, double base,
                                   int width) {
  const double factor = required_number(rope, "factor", 1, 1e6);
  const double low = required_number(rope, "low_freq_factor", 1e-3, 1e6);
  const double high = required_number(rope, "high_freq_factor", 1e-3, 1e6);
  const double context = original_context(file, rope);
  if (high <= low) rope.fail("high_freq_factor", fmt::format("{}", high), "above low_freq_factor");
  std::vector<float> divisors;
  for (int i = 0; i < width; i += 2) {
    const double wave = 2 * std::numbers::pi * math::exp(math::log(base) * i / width);
    const double kept = std::clamp((context / wave - low) / (high - low), 0.0, 1.0);
    divisors.push_back(static_cast<float>(1 / ((1 - kept) / factor + kept)));
  }
  return divisors;
}

/// LongRoPE's: a divisor per frequency, and a factor of attention by the growth of the context.
void read_longrope(const JsonObject& file, const JsonObject& rope, ModelConfig& shape) {
  const int original = original_context(file, rope);
  const double ratio = static_cast<double>(shape.context) / original;
  const double factor = rope.number("factor", 1e-6, 1e6).value_or(ratio);
  const double sharper = factor <= 1 ? 1 : std::sqrt(1 + math::log(factor) / math::log(original));
  shape.rope_scale =
      static_cast<float>(rope.number("attention_factor", 1e-3, 1e3).value_or(sharper));
  const auto divisors = [&](const char* key) {
    rope.required(key);
    std::vector<float> numbers = rope.numbers(key, 1e-3, 1e6);
    if (std::ssize(numbers) != shape.rotary_width / 2)
      rope.fail(key, fmt::format("a list of {}", numbers.size()),
                fmt::format("{} numbers", shape.rotary_width / 2));
    return numbers;
  };
  shape.rope_divisors = divisors("short_factor");
  if (shape.context <= original) return;
  shape.long_rope_divisors = divisors("long_factor");
  shape.long_context = shape.context;
  shape.context = original;
}

/// YaRN's: divisors, and a factor of attention, which keys of one family of models state as a ratio.
void read_yarn(const JsonObject& file, const JsonObject& rope, double base, ModelConfig& shape) {
  constexpr const char* kOriginal = "original_max_position_embeddings";
  const bool stated = file.find(kOriginal) != nullptr || rope.find(kOriginal) != nullptr;
  const Yarn yarn{.factor = required_number(rope, "factor", 1, 1e6),
                  .original_context =
                      static_cast<double>(stated ? original_context(file, rope) : shape.context),
                  .beta_fast = rope.number("beta_fast", 1e-3, 1e6).value_or(32),
                  .beta_slow = rope.number("beta_slow", 1e-3, 1e6).value_or(1),
                  .truncate = rope.flag("truncate").value_or(true)};
  shape.context = std::max(shape.context, yarn_context(yarn));
  shape.rope_divisors = yarn_divisors(yarn, base, shape.rotary_width);
  const double all = rope.number("mscale_all_dim", 0, 1e3).value_or(0);
  const double some = rope.number("mscale", 0, 1e3).value_or(0);
  const double sharper = yarn_scale(yarn.factor) - 1;
  const double usual =
      all != 0 && some != 0 ? (some * sharper + 1) / (all * sharper + 1) : sharper + 1;
  shape.rope_scale = static_cast<float>(rope.number("attention_factor", 1e-3, 1e3).value_or(usual));
}

/// The number of rotated numbers of a head.
int read_rotary_width(const JsonObject& file, const JsonObject* rope, const ModelConfig& shape) {
  constexpr const char* kKey = "partial_rotary_factor";
  const JsonObject& object = rope != nullptr && rope->find(kKey) != nullptr ? *rope : file;
  // For other types, transformers rotates whole heads regardless of the key.
  const double lowest = shape.architecture == "phi3" ? 1e-3 : 1;
  const double factor = object.number(kKey, lowest, 1).value_or(1);
  const int width = static_cast<int>(shape.head_width * factor);
  if (width < 2 || width % 2 != 0)
    object.fail(kKey, fmt::format("{}, which rotates {} numbers of a head", factor, width),
                "an even number of them");
  return width;
}

/// Of files without the key.
double default_base(std::string_view model_type) {
  if (model_type == "gemma3_text" || model_type == "mixtral") return 1e6;
  if (model_type == "gpt_oss") return 150000;
  return model_type == "smollm3" ? 2e6 : kDefaultBase;
}

/// Sets the base of layers with windows, which may have settings of their own.
/// @return the settings of the other layers, if any
std::optional<JsonObject> read_window_rope(const JsonObject& file,
                                           const std::optional<JsonObject>& rope,
                                           ModelConfig& shape) {
  double base = file.number("rope_local_base_freq", 1, 1e12).value_or(kDefaultBase);
  std::optional<JsonObject> others = rope;
  if (rope && rope->find("full_attention") != nullptr) {
    static constexpr std::string_view kKeys[] = {"full_attention", "sliding_attention"};
    rope->refuse_others(kKeys);
    others = rope->object("full_attention");
    if (const auto own = rope->object("sliding_attention")) {
      static constexpr std::string_view kOwnKeys[] = {"rope_type", "rope_theta"};
      own->refuse_others(kOwnKeys);
      if (const std::string type = own->text("rope_type").value_or("default"); type != "default")
        own->fail("rope_type", fmt::format("'{}'", type), "'default'");
      base = own->number("rope_theta", 1, 1e12).value_or(base);
    }
  }
  shape.window_rope_base = static_cast<float>(base);
  return others;
}

}  // namespace

void read_rope(const JsonObject& file, ModelConfig& shape) {
  double base = file.number("rope_theta", 1, 1e12).value_or(default_base(shape.architecture));
  auto rope = file.object("rope_parameters");
  if (!rope) rope = file.object("rope_scaling");
  if (shape.architecture == "gemma3_text") rope = read_window_rope(file, rope, shape);
  std::string type = "default";
  if (!rope && shape.architecture == "gpt_oss")
    file.fail("rope_parameters", "absent", "the type's own, as its publisher has them");
  if (rope) {
    base = rope->number("rope_theta", 1, 1e12).value_or(base);
    const auto named = rope->text("rope_type");
    type = named ? *named : rope->required_text("type");
    if (std::find(std::begin(kRopeTypes), std::end(kRopeTypes), type) == std::end(kRopeTypes))
      rope->fail("rope_type", fmt::format("'{}'", type),
                 "'default', 'linear', 'llama3', 'longrope' or 'yarn'");
    rope->refuse_others(kRopeKeys);
  }
  shape.rope_base = static_cast<float>(base);
  shape.rotary_width = read_rotary_width(file, rope ? &*rope : nullptr, shape);
  if (type == "linear") {
    shape.rope_divisors.assign(static_cast<std::size_t>(shape.rotary_width / 2),
                               static_cast<float>(required_number(*rope, "factor", 1, 1e6)));
  } else if (type == "llama3") {
    shape.rope_divisors = llama3_divisors(file, *rope, base, shape.rotary_width);
  } else if (type == "longrope" || type == "su") {
    read_longrope(file, *rope, shape);
  } else if (type == "yarn") {
    read_yarn(file, *rope, base, shape);
  }
  if (file.flag("rope_interleaved").value_or(false)) file.fail("rope_interleaved", "true", "false");
}

}  // namespace outrider::model
