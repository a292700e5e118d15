#include "data/generate/trace_identity.h"

#include <fmt/format.h>

#include <utility>

#include "data/generate/prompt_selection.h"
#include "runtime/certify/certificate.h"
#include "runtime/model/identity.h"

namespace outrider::data {
namespace {

/// The counts precede the hash, so that messages about a difference can show them.
std::string prompts_text(const std::vector<text::PromptRecord>& prompts, const Recipe& recipe) {
  std::size_t turns = 0;
  for (const text::PromptRecord& prompt : prompts) turns += prompt.turns.size();
  return fmt::format("{} with {} turns, hash {}", prompts.size(), turns,
                     prompts_hash(prompts, recipe));
}

}  // namespace

StoreIdentity trace_identity(inference::Target& target, const Recipe& recipe,
                             const std::vector<text::PromptRecord>& prompts) {
  const sampling::SamplerOptions& sampler = recipe.sampler;
  const inference::TargetOptions& options = target.options();
  StoreIdentity identity;
  identity.model_name = target.model().path.filename().string();
  identity.model_hash = model::model_hash(target.model());
  identity.tokenizer_hash = model::tokenizer_hash(target.model().tokenizer);
  identity.vocab = target.model().config.vocab;
  identity.width = target.model().config.width;
  identity.top_k = recipe.top;
  identity.layers = recipe.layers;

  const auto add = [&](const char* flag, auto&& value) {
    identity.options.emplace_back(flag, fmt::format("{}", std::forward<decltype(value)>(value)));
  };
  add("prompts", prompts_text(prompts, recipe));
  add("samples", recipe.samples);
  add("teacher", recipe.given_answers ? "reference" : "own");
  add("chat", target.chat().name());
  if (!options.chat.arguments.empty())
    add("template-arg", text::arguments_text(options.chat.arguments));
  if (const std::string date = target.chat().date(); !date.empty()) add("today", date);
  if (!options.chat.thinking) add("no-thinking", true);
  if (options.system) add("system", *options.system);
  add("max-new", recipe.max_new);
  add("ctx", target.context());
  add("temperature", fmt::join(recipe.temperatures, " "));
  add("top-k", sampler.top_k);
  add("top-p", sampler.top_p);
  add("min-p", sampler.min_p);
  add("repetition-penalty", sampler.repetition_penalty);
  add("presence-penalty", sampler.presence_penalty);
  add("frequency-penalty", sampler.frequency_penalty);
  add("logit-bias", recipe.logit_bias);
  add("seed", sampler.seed);
  add("numerics", target.engine().numerics_name());
  identity.logits_hash = fmt::format("{:016x}", certify::hash_of_fixed_text(target.engine()));
  return identity;
}

}  // namespace outrider::data
