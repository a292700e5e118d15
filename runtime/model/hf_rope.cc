#include "runtime/model/hf_rope.h"

#include <fmt/core.h>

#include <algorithm>
#include <numbers>
#include <string>
#include <string_view>

#include "runtime/base/math.h"

namespace outrider::model {
namespace {

constexpr double kDefaultBase = 10000;
constexpr std::string_view kKeys[] = {"rope_type",
                                      "type",
                                      "rope_theta",
                                      "factor",
                                      "low_freq_factor",
                                      "high_freq_factor",
                                      "original_max_position_embeddings"};

double required_number(const JsonObject& rope, const char* key, double low, double high) {
  rope.required(key);
  return *rope.number(key, low, high);
}

/// Llama 3's: waves longer than the first context by `low_freq_factor` are stretched by `factor`, short
/// ones are left, and between them the frequency goes over from one to the other.
std::vector<float> llama3_divisors(const JsonObject& rope, double base, int head_width) {
  const double factor = required_number(rope, "factor", 1, 1e6);
  const double low = required_number(rope, "low_freq_factor", 1e-3, 1e6);
  const double high = required_number(rope, "high_freq_factor", 1e-3, 1e6);
  const double context = required_number(rope, "original_max_position_embeddings", 1, 1e9);
  if (high <= low) rope.fail("high_freq_factor", fmt::format("{}", high), "above low_freq_factor");
  std::vector<float> divisors;
  for (int i = 0; i < head_width; i += 2) {
    const double wave = 2 * std::numbers::pi * math::exp(math::log(base) * i / head_width);
    const double kept = std::clamp((context / wave - low) / (high - low), 0.0, 1.0);
    divisors.push_back(static_cast<float>(1 / ((1 - kept) / factor + kept)));
  }
  return divisors;
}

}  // namespace

void read_rope(const JsonObject& file, ModelConfig& shape) {
  double base = file.number("rope_theta", 1, 1e12).value_or(kDefaultBase);
  auto rope = file.object("rope_parameters");
  if (!rope) rope = file.object("rope_scaling");
  std::string type = "default";
  if (rope) {
    rope->refuse_others(kKeys);
    base = rope->number("rope_theta", 1, 1e12).value_or(base);
    const auto named = rope->text("rope_type");
    type = named ? *named : rope->required_text("type");
  }
  shape.rope_base = static_cast<float>(base);
  if (type == "linear") {
    shape.rope_divisors.assign(static_cast<std::size_t>(shape.head_width / 2),
                               static_cast<float>(required_number(*rope, "factor", 1, 1e6)));
  } else if (type == "llama3") {
    shape.rope_divisors = llama3_divisors(*rope, base, shape.head_width);
  } else if (type != "default") {
    rope->fail("rope_type", fmt::format("'{}'", type), "'default', 'linear' or 'llama3'");
  }
  if (file.flag("rope_interleaved").value_or(false)) file.fail("rope_interleaved", "true", "false");
}

}  // namespace outrider::model
