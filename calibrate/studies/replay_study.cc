#include "calibrate/studies/replay_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/replay/recorded_states.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/conversation_batch.h"

namespace outrider::calibrate {
namespace {

/// @throws CheckFailed naming the first pass that differs
void compare(const std::string& prompt, const std::vector<decode::PassDraft>& decoded,
             const std::vector<decode::PassDraft>& replayed) {
  for (std::size_t i = 0; i < std::max(decoded.size(), replayed.size()); ++i) {
    const auto text = [i](const std::vector<decode::PassDraft>& passes) {
      if (i >= passes.size()) return std::string("no such pass");
      return fmt::format("{} drafted, {} accepted", passes[i].drafted, passes[i].accepted);
    };
    if (text(decoded) != text(replayed))
      throw CheckFailed(
          fmt::format("replay: prompt '{}', pass {}: {} in decoding, {} in the replay", prompt,
                      i + 1, text(decoded), text(replayed)));
  }
}

void tell_plain_text(const Answer& answer, const draft::TellPlainText& tell) {
  if (!tell) return;
  const auto prompt = static_cast<std::size_t>(answer.prompt);
  const sampling::TokenCounts counts(
      std::span(answer.tokens).first(answer.sampler.uses_counts() ? prompt : 0));
  tell({answer.tokens, {answer.sampler, answer.sequence_seed, counts}}, answer.prompt);
}

}  // namespace

Replays::Replays(inference::Target& target, ReplayStudy study, Watch& watch)
    : target_(target), study_(std::move(study)), watch_(watch), recomputed_(target.engine()) {}

const methods::PreparedMethod& Replays::method(double temperature) {
  auto found = prepared_.find(temperature);
  if (found == prepared_.end())
    found = prepared_
                .emplace(temperature,
                         study_.method->prepare({target_.model(), target_.engine(), temperature,
                                                 study_.costs, watch_.notices()}))
                .first;
  return found->second;
}

void Replays::be_ready() {
  if (!std::exchange(is_ready_, true) && study_.on_ready) study_.on_ready();
}

Replay Replays::replay(const Answer& answer, Observations* observations) {
  if (watch_.interrupted()) throw Interrupted();
  const methods::PreparedMethod& prepared = method(answer.temperature());
  const auto drafter = prepared.new_drafter();
  tell_plain_text(answer, prepared.tell_plain_text());
  Replay replayed = calibrate::replay(answer, drafter.get(),
                                      observations == nullptr ? &recomputed_ : observations);
  study_.on_replay(answer, prepared, replayed);
  sum_.add(replayed);
  acceptance_[answer.temperature()].add(replayed.acceptance);
  watch_.show(++texts_);
  return replayed;
}

void Replays::of_answers(const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) (void)method(answer.temperature());
  be_ready();
  watch_.begin("texts", std::ssize(answers));
  for (const Answer& answer : answers) replay(answer);
  watch_.end();
}

void Replays::of_traces(const data::TraceStore& store) {
  RecordedStates states(target_.model().config);
  std::int64_t traces = 0;
  for (const auto& [shard, entry] : store.manifest().shards) traces += entry.traces;
  watch_.begin("texts", traces);
  for_each_stored_answer(
      store, [&](const Answer& answer, const data::ShardReader& shard, std::size_t i) {
        const auto drafter = method(answer.temperature()).new_drafter();
        const engine::TapRequest wants =
            drafter == nullptr ? engine::TapRequest() : drafter->traits().wants;
        const bool recorded = RecordedStates::suffice(wants, store.identity().layers);
        be_ready();
        std::vector<data::LayerStates> of_trace;
        for (const int layer : recorded ? wants.layers : std::vector<int>())
          of_trace.push_back({layer, shard.states(i, layer)});
        states.take(std::move(of_trace));
        replay(answer, recorded ? &states : nullptr);
      });
  be_ready();
  watch_.end();
}

void Replays::of_decoding(const std::vector<text::PromptRecord>& prompts,
                          const inference::GenerationOptions& options, int sequences) {
  (void)method(options.sampler.temperature);
  be_ready();
  watch_.begin("texts", std::ssize(prompts));
  const auto check = [&](const inference::GeneratedText& text) {
    const Replay replayed = replay(answer_of(text, options));
    compare(text.name.prompt, text.result.stats.by_pass, replayed.by_pass);
  };
  if (sequences > 1)
    decode_together(options, sequences, prompts, check);
  else
    decode_alone(options, prompts, check);
  watch_.end();
}

void Replays::decode_alone(const inference::GenerationOptions& options,
                           const std::vector<text::PromptRecord>& prompts,
                           const OnGenerated& on_text) {
  const methods::PreparedMethod& prepared = method(options.sampler.temperature);
  for (const text::PromptRecord& prompt : prompts) {
    inference::Generation generation(target_, options,
                                     inference::context_needed(target_, prompt, options.max_new),
                                     prepared.new_drafter(), prepared.tell_plain_text());
    on_text(generation.generate({prompt.id, prompt.task}, inference::first_turn(target_, prompt)));
  }
}

/// Each drafts as it does alone: none has to leave rows of a pass to others.
void Replays::decode_together(const inference::GenerationOptions& options, int sequences,
                              const std::vector<text::PromptRecord>& prompts,
                              const OnGenerated& on_text) {
  const methods::PreparedMethod& prepared = method(options.sampler.temperature);
  inference::ConversationBatch batch(
      target_, options, [&] { return prepared.new_drafter(); },
      {.sequences = sequences, .share = [](std::span<decode::RowShare>, int) {}},
      prepared.tell_plain_text());
  batch.run(prompts, [&](const inference::BatchedText& one) { on_text(one.text); });
  if (watch_.interrupted()) throw Interrupted();
}

}  // namespace outrider::calibrate
