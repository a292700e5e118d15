#include "data/study/stop_study_run.h"

#include <fmt/core.h>

#include <utility>

#include "data/study/oracle_drafter.h"
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

void StopStudyRun::decode_sample(const text::PromptRecord& prompt, int max_new) {
  PlainText plain;
  for (std::size_t cell = 0; cell < study_.cells.size(); ++cell)
    decode(prompt, cell, max_new, plain);
}

void StopStudyRun::run(const std::vector<text::PromptRecord>& prompts, data::Journal& journal,
                       Watch& watch) {
  const std::vector<TimedRound> kept = kept_rounds(journal, study_.cells.size());
  const auto rounds = static_cast<std::size_t>(study_.rounds);
  const std::int64_t texts = std::ssize(study_.cells) * study_.rounds;  // of a prompt
  std::int64_t done = texts * std::ssize(kept);
  watch.begin("texts", texts * std::ssize(prompts), done);
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    TimedRound round;
    if (p < kept.size()) {
      round = kept[p];
    } else {
      round = measure(prompts[p], p * rounds, [&] { watch.show(++done); });
      round.start = next_start(kept);
      journal.append(entry_of(round));
    }
    study_.starts = round.start;
    count(prompts[p], round);
  }
  watch.end();
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if (!policies_[i].evaluation) continue;
    study_.cells[i + 1].confusion = policies_[i].evaluation->confusion();
    if (policies_[i].evaluation->has_auc())
      study_.cells[i + 1].auc = policies_[i].evaluation->auc();
  }
}

/// @param first  the cell that the first round begins with, counted on beyond the last
TimedRound StopStudyRun::measure(const text::PromptRecord& prompt, std::size_t first,
                                 const std::function<void()>& on_text) {
  const std::size_t cells = study_.cells.size();
  std::vector<Decoded> decoded(cells);
  PlainText plain;
  for (std::size_t round = 0; round < static_cast<std::size_t>(study_.rounds); ++round)
    for (std::size_t i = 0; i < cells; ++i) {
      const std::size_t cell = (first + round + i) % cells;
      decode::DecodeResult result = decode(prompt, cell, options_.max_new, plain);
      Decoded& of_cell = decoded[cell];
      of_cell.seconds.push_back(result.stats.decode_seconds);
      if (!of_cell.result) of_cell.result = std::move(result);
      on_text();
    }
  TimedRound measured;
  for (Decoded& of_cell : decoded) {
    DecodeSums& sums = measured.cells.emplace_back();
    sums.add(*of_cell.result);
    sums.seconds = cost::spread_of(std::move(of_cell.seconds)).median;
  }
  measured.text = std::move(decoded[0].result->tokens);
  return measured;
}

/// Decodes with a cell, and compares the text where it has to be the plain one.
decode::DecodeResult StopStudyRun::decode(const text::PromptRecord& prompt, std::size_t cell,
                                          int max_new, PlainText& plain) {
  std::unique_ptr<draft::Drafter> drafter = drafter_of(prompt, cell, max_new, plain);
  const bool is_plain = drafter == nullptr || options_.sampler.temperature == 0 ||
                        drafter->traits().verification == draft::Verification::kCoupled;
  inference::GenerationOptions options = options_;
  options.max_new = max_new;
  inference::Generation generation(
      target_, options, inference::context_needed(target_, prompt, max_new), std::move(drafter));
  inference::GeneratedText text =
      generation.generate({prompt.id, prompt.task}, inference::first_turn(target_, prompt));
  if (options_.interrupted && options_.interrupted()) throw Interrupted();
  if (!is_plain) return std::move(text.result);
  const std::string& name = study_.cells[cell].name;
  if (!plain.tokens) plain = {text.result.tokens, name};
  if (text.result.tokens != *plain.tokens)
    throw CheckFailed(
        fmt::format("prompt '{}': {} gave another text than {}", prompt.id, name, plain.of));
  return std::move(text.result);
}

/// @return nullptr: plain decoding
std::unique_ptr<draft::Drafter> StopStudyRun::drafter_of(const text::PromptRecord& prompt,
                                                         std::size_t cell, int max_new,
                                                         PlainText& plain) {
  if (cell == 0) return nullptr;
  const StudiedPolicy& policy = policies_[cell - 1];
  if (!policy.is_oracle()) return policy.new_drafter();
  if (!plain.tokens) decode(prompt, 0, max_new, plain);
  return std::make_unique<OracleDrafter>(policy.new_drafter(),
                                         accepted_along(prompt, *plain.tokens));
}

void StopStudyRun::count(const text::PromptRecord& prompt, const TimedRound& round) {
  for (std::size_t cell = 0; cell < study_.cells.size(); ++cell)
    study_.cells[cell].add(round.cells[cell]);
  predict(prompt, round.text);
}

/// What the policies predict along a text, from its second token on: the prefill gives the first.
void StopStudyRun::predict(const text::PromptRecord& prompt, const std::vector<Token>& plain) {
  for (StudiedPolicy& policy : policies_)
    if (policy.evaluation) policy.evaluation->start();
  const std::vector<std::uint8_t> accepted =
      accepted_along(prompt, plain, [&](const draft::DraftedToken& token, bool is_accepted) {
        for (StudiedPolicy& policy : policies_)
          if (policy.evaluation) policy.evaluation->add(token, is_accepted);
        study_.always.add(true, is_accepted);
      });
  const auto is_accepted = [&](std::size_t begin, std::size_t drafted) {
    return begin + drafted < accepted.size() && accepted[begin + drafted] != 0;
  };
  std::vector<int> lengths;
  for (const cost::AgreedRound& round : cost::agreed_rounds(accepted.size(), is_accepted))
    lengths.push_back(static_cast<int>(round.accepted));
  study_.oracle.add(lengths);
}

/// What becomes of the tokens that are drafted in place of a plain text's.
/// @return [tokens of the text after its first] 1: that one is accepted
std::vector<std::uint8_t> StopStudyRun::accepted_along(const text::PromptRecord& prompt,
                                                       const std::vector<Token>& plain,
                                                       const OnDraftOutcome& on_outcome) {
  const std::vector<Token> asked = inference::first_turn(target_, prompt);
  std::vector<Token> text = asked;
  text.insert(text.end(), plain.begin(), plain.end());
  const sampling::SamplerOptions& sampler = options_.sampler;
  const sampling::TokenCounts counts(sampler.uses_counts() ? std::span(asked)
                                                           : std::span<const Token>());
  const inference::TextName name = {prompt.id, prompt.task};
  const std::uint64_t seed =
      sampling::sequence_seed(sampler.seed, name.prompt, name.turn, name.sample);
  std::vector<std::uint8_t> accepted;
  outcomes_.of(text, static_cast<int>(asked.size()), {sampler, seed, counts},
               [&](const draft::DraftedToken& token, bool is_accepted) {
                 if (on_outcome) on_outcome(token, is_accepted);
                 accepted.push_back(is_accepted);
               });
  return accepted;
}

}  // namespace outrider::study
