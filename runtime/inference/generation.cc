#include "runtime/inference/generation.h"

#include <utility>

#include "runtime/inference/text_stream.h"

namespace outrider::inference {

Generation::Generation(Target& target, GenerationOptions options, int context,
                       std::unique_ptr<draft::Drafter> drafter)
    : target_(target),
      options_(std::move(options)),
      context_(context),
      decoder_(target.engine(), context),
      drafter_(std::move(drafter)) {
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
  const std::uint64_t seed = sampling::sequence_seed(options_.sampler.seed, text.name.prompt,
                                                     text.name.turn, text.name.sample);
  sampling::Sampler sampler(options_.sampler, target_.model().config.vocab, seed);
  decode::DecodeLimits limits = {options_.max_new, options_.prefill_chunk, target_.end_tokens(),
                                 options_.interrupted};
  if (drafter_ != nullptr && drafter_->needs_plain_text())
    give_reference(text.prompt_tokens, sampler, limits);
  limits.on_row = options_.on_row;
  decode::Attribution copied(static_cast<int>(text.prompt_tokens.size()), options_.min_span);
  TextStream stream(target_.tokenizer(), options_.stops);
  const auto tell = [&](Token token, const draft::Origin* origin) {
    if (on_text) on_text({stream.text(), stream.made(), copied, origin == nullptr, token, origin});
  };
  text.result = decoder_.decode(text.prompt_tokens, sampler, drafter_.get(), limits,
                                [&](Token token, const draft::Origin& origin) {
                                  copied.push(origin.position);
                                  const bool goes_on = stream.push(token);
                                  tell(token, &origin);
                                  return goes_on;
                                });
  target_.model().check_unchanged();
  stream.finish();
  tell(text.result.tokens.empty() ? 0 : text.result.tokens.back(), nullptr);
  text.text = stream.text();
  text.copied = copied.spans();
  return text;
}

void Generation::give_reference(const std::vector<Token>& prompt, const sampling::Sampler& sampler,
                                const decode::DecodeLimits& limits) {
  const std::vector<Token> plain =
      known_plain_ ? std::move(*known_plain_) : plain_text(prompt, sampler, limits);
  known_plain_.reset();
  std::vector<Token> text = prompt;
  text.insert(text.end(), plain.begin(), plain.end());
  const sampling::TokenCounts counts(options_.sampler.uses_counts() ? std::span(prompt)
                                                                    : std::span<const Token>());
  drafter_->set_plain_text({text, sampler.sampling(counts)}, static_cast<int>(prompt.size()));
}

std::vector<Token> Generation::plain_text(const std::vector<Token>& prompt,
                                          const sampling::Sampler& sampler,
                                          const decode::DecodeLimits& limits) {
  if (!plain_) plain_.emplace(target_.engine(), context_);
  TextStream stream(target_.tokenizer(), options_.stops);
  return plain_
      ->decode(prompt, sampler, nullptr, limits,
               [&](Token token, const draft::Origin&) { return stream.push(token); })
      .tokens;
}

}  // namespace outrider::inference
