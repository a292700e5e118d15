#include "runtime/evaluate/stop_study_run.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/cost/agreed_rounds.h"
#include "runtime/draft/model/draft_along.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"

namespace outrider::evaluate {

StopStudyRun::StopStudyRun(inference::Target& target, const inference::GenerationOptions& options,
                           std::vector<StudiedPolicy> policies, engine::Engine& draft,
                           std::vector<Token> head_tokens, StopStudy& study)
    : target_(target),
      options_(options),
      policies_(std::move(policies)),
      study_(study),
      draft_(draft),
      vocabulary_(std::move(head_tokens), draft.config().vocab, target.model().config.vocab),
      choice_(vocabulary_.choice()),
      probability_(static_cast<int>(vocabulary_.size()), draft.score_kernels()) {
  study.cells.push_back({.name = "target", .settings = "plain decoding"});
  for (const StudiedPolicy& policy : policies_)
    study.cells.push_back({.name = policy.name, .settings = policy.settings});
}

void StopStudyRun::run(const std::vector<text::PromptRecord>& prompts,
                       const std::function<void(std::int64_t)>& on_text) {
  std::int64_t done = 0;
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    const inference::GeneratedText plain = decode(prompts[p], study_.cells[0], nullptr);
    on_text(++done);
    // Each round starts with another policy.
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      const std::size_t next = (p + i) % policies_.size();
      const StudiedPolicy& policy = policies_[next];
      std::unique_ptr<draft::Drafter> drafter = policy.new_drafter();
      const bool is_plain = drafter->verification() == draft::Verification::kCoupled ||
                            options_.sampler.temperature == 0;
      const inference::GeneratedText text =
          decode(prompts[p], study_.cells[next + 1], std::move(drafter));
      if (is_plain && text.result.tokens != plain.result.tokens)
        throw CheckFailed(
            fmt::format("prompt '{}': {} gave another text", prompts[p].id, policy.name));
      on_text(++done);
    }
    predict(plain);
  }
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if (!policies_[i].evaluation) continue;
    study_.cells[i + 1].confusion = policies_[i].evaluation->confusion();
    if (policies_[i].evaluation->has_auc())
      study_.cells[i + 1].auc = policies_[i].evaluation->auc();
  }
}

inference::GeneratedText StopStudyRun::decode(const text::PromptRecord& prompt, StopCell& cell,
                                              std::unique_ptr<draft::Drafter> drafter) {
  inference::Generation generation(target_, options_,
                                   inference::context_needed(target_, prompt, options_.max_new),
                                   std::move(drafter));
  inference::GeneratedText text = generation.generate(
      {prompt.id, prompt.task}, inference::Dialogue(target_).ask(prompt.turns[0]));
  if (interrupted()) throw Interrupted();
  cell.add(text.result);
  return text;
}

/// What the policies predict along a text, from its second token on: the prefill gives the first.
void StopStudyRun::predict(const inference::GeneratedText& plain) {
  for (StudiedPolicy& policy : policies_)
    if (policy.evaluation) policy.evaluation->start();
  const std::size_t prompt = plain.prompt_tokens.size();
  std::vector<Token> text = plain.prompt_tokens;
  text.insert(text.end(), plain.result.tokens.begin(), plain.result.tokens.end());
  const sampling::SamplerOptions& sampler = options_.sampler;
  const sampling::TokenCounts counts(sampler.uses_counts() ? std::span(plain.prompt_tokens)
                                                           : std::span<const Token>());
  const std::uint64_t seed =
      sampling::sequence_seed(sampler.seed, plain.name.prompt, plain.name.turn, plain.name.sample);
  std::vector<std::uint8_t> accepted;  // of the tokens after the first
  draft::draft_along(
      draft_, choice_, vocabulary_.size(), text, static_cast<int>(prompt), {sampler, seed, counts},
      [&](std::size_t position, sampling::ChosenToken drawn, std::span<const float> logits) {
        if (position == prompt) return;
        const bool agrees = drawn.token == text[position];
        const draft::DraftedToken token = {
            0, probability_.log_of(logits, vocabulary_.row_of(drawn.token)),
            static_cast<std::int64_t>(position - prompt), drawn.lead, logits};
        for (StudiedPolicy& policy : policies_)
          if (policy.evaluation) policy.evaluation->add(token, agrees);
        study_.always.add(true, agrees);
        accepted.push_back(agrees);
      });
  const auto is_accepted = [&](std::size_t begin, std::size_t drafted) {
    return begin + drafted < accepted.size() && accepted[begin + drafted] != 0;
  };
  std::vector<int> lengths;
  for (const cost::AgreedRound& round : cost::agreed_rounds(accepted.size(), is_accepted))
    lengths.push_back(static_cast<int>(round.accepted));
  study_.oracle.add(lengths);
}

}  // namespace outrider::evaluate
