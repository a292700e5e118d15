#include "data/generate/recorded_recipe.h"

#include <fmt/core.h>

#include <sstream>

#include "data/store/recorded_chat.h"
#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/engine/engine_names.h"
#include "runtime/inference/logit_bias.h"

namespace outrider::data {
namespace {

/// The options of a store by flag name.
class Recorded {
 public:
  explicit Recorded(const StoreIdentity& identity) : identity_(identity) {}

  const std::string& text(const std::string& flag) const {
    if (const std::string* value = find_option(identity_, flag)) return *value;
    throw InputError(
        fmt::format("the store's identity lacks --{}; it was not made by data traces and cannot be "
                    "decoded again",
                    flag));
  }
  double real(const std::string& flag) const {
    if (const auto value = parse_real(text(flag))) return *value;
    refuse(flag);
  }
  std::vector<double> reals(const std::string& flag) const {
    std::vector<double> values;
    std::istringstream words(text(flag));
    for (std::string word; words >> word;) {
      const auto value = parse_real(word);
      if (!value) refuse(flag);
      values.push_back(*value);
    }
    if (values.empty()) refuse(flag);
    return values;
  }
  std::int64_t integer(const std::string& flag) const {
    if (const auto value = parse_integer(text(flag))) return *value;
    refuse(flag);
  }
  std::uint64_t seed() const {
    if (const auto value = seed_of(identity_)) return *value;
    refuse("seed");
  }

 private:
  [[noreturn]] void refuse(const std::string& flag) const {
    throw InputError(
        fmt::format("the store's identity: --{}: expected a number, found '{}'", flag, text(flag)));
  }

  const StoreIdentity& identity_;
};

}  // namespace

sampling::SamplerOptions recorded_sampler(const StoreIdentity& identity) {
  const Recorded recorded(identity);
  sampling::SamplerOptions sampler;
  sampler.top_k = static_cast<int>(recorded.integer("top-k"));
  sampler.top_p = recorded.real("top-p");
  sampler.min_p = recorded.real("min-p");
  sampler.repetition_penalty = recorded.real("repetition-penalty");
  sampler.presence_penalty = recorded.real("presence-penalty");
  sampler.frequency_penalty = recorded.real("frequency-penalty");
  sampler.seed = recorded.seed();
  std::istringstream biases(recorded.text("logit-bias"));
  for (std::string bias; biases >> bias;) sampler.logit_bias.push_back(inference::parse_bias(bias));
  return sampler;
}

Recipe recorded_recipe(const StoreIdentity& identity) {
  const Recorded recorded(identity);
  Recipe recipe;
  recipe.top = identity.top_k;
  recipe.layers = identity.layers;
  recipe.given_answers = recorded.text("teacher") == "reference";
  recipe.max_new = static_cast<int>(recorded.integer("max-new"));
  recipe.sampler = recorded_sampler(identity);
  recipe.logit_bias = recorded.text("logit-bias");
  recipe.samples = static_cast<int>(recorded.integer("samples"));
  recipe.temperatures = recorded.reals("temperature");
  return recipe;
}

inference::TargetOptions recorded_target(const StoreIdentity& identity, const std::string& model) {
  const Recorded recorded(identity);
  inference::TargetOptions options;
  options.model = model;
  recorded.text("chat");  // must be there
  options.chat = recorded_chat(identity);
  if (const std::string* system = find_option(identity, "system")) options.system = *system;
  options.context = static_cast<int>(recorded.integer("ctx"));
  const std::string numerics = recorded.text("numerics");
  options.engine.numerics = engine::numerics_of(numerics.substr(0, numerics.find(' ')));
  options.engine.quantise = numerics.find("(q8_0)") != std::string::npos;
  if (const auto kv = numerics.find(" kv "); kv != std::string::npos)
    options.engine.kv = engine::kv_of(numerics.substr(kv + 4));
  return options;
}

}  // namespace outrider::data
