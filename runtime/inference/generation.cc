#include "runtime/inference/generation.h"

#include <utility>

#include "runtime/draft/forced_text.h"
#include "runtime/inference/text_stream.h"

namespace outrider::inference {

sampling::Sampler sampler_of(const Target& target, const GenerationOptions& options,
                             const TextName& name) {
  return {options.sampler, target.model().config.vocab,
          sampling::sequence_seed(options.sampler.seed, name.prompt, name.turn, name.sample)};
}

decode::DecodeLimits limits_of(const Target& target, const GenerationOptions& options) {
  return {.max_new = options.max_new,
          .prefill_chunk = options.prefill_chunk,
          .end_tokens = target.end_tokens(),
          .interrupted = options.interrupted,
          .new_constraint = options.new_constraint};
}

std::unique_ptr<draft::Drafter> with_forced_text(std::unique_ptr<draft::Drafter> drafter,
                                                 const Target& target,
                                                 const GenerationOptions& options) {
  return options.new_constraint ? draft::after_forced_text(std::move(drafter), target.tokenizer())
                                : std::move(drafter);
}

Generation::Generation(Target& target, GenerationOptions options, int context,
                       std::unique_ptr<draft::Drafter> drafter)
    : target_(target),
      options_(std::move(options)),
      context_(context),
      decoder_(target.engine(), context),
      drafter_(with_forced_text(std::move(drafter), target, options_)) {
  sampling::check(options_.sampler, target.model().config.vocab);
}

GeneratedText Generation::generate(TextName name, std::vector<Token> prompt_tokens,
                                   const OnText& on_text) {
  GeneratedText text;
  text.name = std::move(name);
  text.prompt_tokens = std::move(prompt_tokens);
  text.context = context_;
  if (static_cast<int>(text.prompt_tokens.size()) >= context_) {
    text.result.finish = decode::FinishReason::kContext;
    return text;
  }
  const sampling::Sampler sampler = sampler_of(target_, options_, text.name);
  GrowingText growing(target_.tokenizer(), options_.stops,
                      static_cast<int>(text.prompt_tokens.size()), options_.min_span, on_text);
  decode::DecodeLimits limits = limits_of(target_, options_);
  text.result = decoder_.decode(
      text.prompt_tokens, sampler, drafter_.get(), limits,
      [&](Token token, const draft::Origin& origin) { return growing.push(token, origin); });
  target_.model().check_unchanged();
  growing.finish();
  text.text = growing.text();
  text.copied = growing.copied();
  return text;
}

}  // namespace outrider::inference
