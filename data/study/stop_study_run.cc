#include "data/study/stop_study_run.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/cost/agreed_rounds.h"
#include "runtime/cost/statistics.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"

namespace outrider::study {
namespace {

draft::Verification verification_of(const StopStudy& study) {
  return study.verify == "rejection" ? draft::Verification::kRejection
                                     : draft::Verification::kCoupled;
}

}  // namespace

StopStudyRun::StopStudyRun(inference::Target& target, const inference::GenerationOptions& options,
                           std::vector<StudiedPolicy> policies, engine::Engine& draft,
                           std::vector<Token> head_tokens, StopStudy& study)
    : target_(target),
      options_(options),
      policies_(std::move(policies)),
      study_(study),
      outcomes_(target.engine(), draft, std::move(head_tokens), verification_of(study)) {
  study.cells.push_back({.name = "target", .settings = "plain decoding"});
  for (const StudiedPolicy& policy : policies_)
    study.cells.push_back({.name = policy.name, .settings = policy.settings});
}

void StopStudyRun::run(const std::vector<text::PromptRecord>& prompts,
                       const std::function<void(std::int64_t)>& on_text) {
  std::int64_t done = 0;
  const auto rounds = static_cast<std::size_t>(study_.rounds);
  for (std::size_t p = 0; p < prompts.size(); ++p)
    measure(prompts[p], p * rounds, [&] { on_text(++done); });
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if (!policies_[i].evaluation) continue;
    study_.cells[i + 1].confusion = policies_[i].evaluation->confusion();
    if (policies_[i].evaluation->has_auc())
      study_.cells[i + 1].auc = policies_[i].evaluation->auc();
  }
}

/// @param first  the cell that the first round begins with, counted on beyond the last
void StopStudyRun::measure(const text::PromptRecord& prompt, std::size_t first,
                           const std::function<void()>& on_text) {
  const std::size_t cells = study_.cells.size();
  std::vector<Decoded> decoded(cells);
  PlainText plain;
  for (std::size_t round = 0; round < static_cast<std::size_t>(study_.rounds); ++round)
    for (std::size_t i = 0; i < cells; ++i) {
      const std::size_t cell = (first + round + i) % cells;
      inference::GeneratedText text = decode(prompt, cell, plain);
      Decoded& of_cell = decoded[cell];
      of_cell.seconds.push_back(text.result.stats.decode_seconds);
      if (!of_cell.text) {
        of_cell.text = std::move(text);
        if (plain.of == study_.cells[cell].name) plain.tokens = &of_cell.text->result.tokens;
      }
      on_text();
    }
  for (std::size_t cell = 0; cell < cells; ++cell)
    study_.cells[cell].add(decoded[cell].text->result,
                           cost::spread_of(std::move(decoded[cell].seconds)).median);
  predict(*decoded[0].text);
}

/// Decodes with a cell, and compares the text where it has to be the plain one.
inference::GeneratedText StopStudyRun::decode(const text::PromptRecord& prompt, std::size_t cell,
                                              PlainText& plain) {
  std::unique_ptr<draft::Drafter> drafter;
  draft::TellPlainText tell;
  if (cell > 0) {
    drafter = policies_[cell - 1].new_drafter();
    tell = policies_[cell - 1].tell;
  }
  const bool is_plain = drafter == nullptr || options_.sampler.temperature == 0 ||
                        drafter->traits().verification == draft::Verification::kCoupled;
  inference::Generation generation(target_, options_,
                                   inference::context_needed(target_, prompt, options_.max_new),
                                   std::move(drafter), std::move(tell));
  if (plain.tokens != nullptr) generation.know_plain_text(*plain.tokens);
  inference::GeneratedText text =
      generation.generate({prompt.id, prompt.task}, inference::first_turn(target_, prompt));
  if (options_.interrupted && options_.interrupted()) throw Interrupted();
  if (!is_plain) return text;
  const std::string& name = study_.cells[cell].name;
  if (plain.of.empty()) plain.of = name;
  if (plain.tokens != nullptr && text.result.tokens != *plain.tokens)
    throw CheckFailed(
        fmt::format("prompt '{}': {} gave another text than {}", prompt.id, name, plain.of));
  return text;
}

/// What the policies predict along a text, from its second token on: the prefill gives the first.
void StopStudyRun::predict(const inference::GeneratedText& plain) {
  for (StudiedPolicy& policy : policies_)
    if (policy.evaluation) policy.evaluation->start();
  std::vector<Token> text = plain.prompt_tokens;
  text.insert(text.end(), plain.result.tokens.begin(), plain.result.tokens.end());
  const sampling::SamplerOptions& sampler = options_.sampler;
  const sampling::TokenCounts counts(sampler.uses_counts() ? std::span(plain.prompt_tokens)
                                                           : std::span<const Token>());
  const std::uint64_t seed =
      sampling::sequence_seed(sampler.seed, plain.name.prompt, plain.name.turn, plain.name.sample);
  std::vector<std::uint8_t> accepted;  // of the tokens after the first
  outcomes_.of(text, static_cast<int>(plain.prompt_tokens.size()), {sampler, seed, counts},
               [&](const draft::DraftedToken& token, bool is_accepted) {
                 for (StudiedPolicy& policy : policies_)
                   if (policy.evaluation) policy.evaluation->add(token, is_accepted);
                 study_.always.add(true, is_accepted);
                 accepted.push_back(is_accepted);
               });
  const auto is_accepted = [&](std::size_t begin, std::size_t drafted) {
    return begin + drafted < accepted.size() && accepted[begin + drafted] != 0;
  };
  std::vector<int> lengths;
  for (const cost::AgreedRound& round : cost::agreed_rounds(accepted.size(), is_accepted))
    lengths.push_back(static_cast<int>(round.accepted));
  study_.oracle.add(lengths);
}

}  // namespace outrider::study
