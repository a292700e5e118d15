#include "calibrate/studies/replay_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/answers/work_ahead.h"
#include "calibrate/replay/recorded_states.h"
#include "calibrate/replay/replay_entry.h"
#include "calibrate/studies/method_identity.h"
#include "runtime/artifacts/acceptance_group.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"
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

std::int64_t tokens_of(const std::vector<Answer>& answers) {
  std::int64_t tokens = 0;
  for (const Answer& answer : answers) tokens += std::ssize(answer.tokens);
  return tokens;
}

}  // namespace

Replays::Replays(inference::Target& target, ReplayStudy study, Watch& watch)
    : target_(target), study_(std::move(study)), watch_(watch), recomputed_(target.engine()) {}

const methods::PreparedMethod& Replays::method(double temperature) {
  auto found = prepared_.find(temperature);
  if (found == prepared_.end())
    found =
        prepared_
            .emplace(temperature,
                     study_.method->prepare(methods::MethodTarget(target_.model(), target_.engine(),
                                                                  study_.folders, temperature,
                                                                  study_.costs, watch_.notices())
                                                .together(sequences_)))
            .first;
  return found->second;
}

void Replays::be_ready() {
  if (!std::exchange(is_ready_, true) && study_.on_ready) study_.on_ready();
}

/// @param settings  that the replays depend on besides the answers and the method
void Replays::resume(const std::vector<Answer>& answers, const std::string& settings) {
  journal_.emplace(journal_in(study_.journals, "replay", target_, answers,
                              method_identity(*study_.method, target_, study_.folders) + settings));
  if (const std::size_t before = journal_->kept().size(); before > 0)
    watch_.inform(fmt::format("texts: resuming after {}", before));
}

/// As far as the first of them tells.
void Replays::plan_by(const Answer& first, const std::vector<Answer>& left,
                      const std::function<Replay()>& replay_first) {
  const Stopwatch time;
  replay_first();
  watch_.plan({{fmt::format("{} texts replayed, {} tokens", left.size(), tokens_of(left)),
                time.seconds() * static_cast<double>(tokens_of(left)) /
                    static_cast<double>(first.tokens.size())}});
}

/// The next text, if it was replayed before.
bool Replays::restore(const Answer& answer) {
  if (texts_ >= std::ssize(journal_->kept())) return false;
  const auto kept = replay_of(journal_->kept()[static_cast<std::size_t>(texts_)]);
  if (!kept) journal_->refuse();
  count(answer, *kept);
  return true;
}

Replay Replays::replay(const Answer& answer, Observations* observations) {
  if (watch_.interrupted()) throw Interrupted();
  const auto drafter = method(answer.temperature()).new_drafter();
  return calibrate::replay(answer, drafter.get(), observations);
}

void Replays::count(const Answer& answer, const Replay& replayed) {
  study_.on_replay(answer, method(answer.temperature()), replayed);
  sum_.add(replayed);
  acceptance_[answer.temperature()].add(replayed.acceptance);
  watch_.show(++texts_);
}

void Replays::keep(const Answer& answer, const Replay& replayed) {
  count(answer, replayed);
  journal_->append(entry_of(replayed));
}

void Replays::of_answers(const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) (void)method(answer.temperature());
  be_ready();
  resume(answers, "");
  plan_answers(watch_, journal_->left_of(answers), "texts replayed",
               [&](const Answer& answer) { replay(answer, &recomputed_); });
  watch_.begin("texts", std::ssize(answers), std::ssize(journal_->kept()));
  for (const Answer& answer : answers)
    if (!restore(answer)) keep(answer, replay(answer, &recomputed_));
  watch_.end();
}

void Replays::of_traces(const data::TraceStore& store) {
  RecordedStates states(target_.model().config);
  const std::vector<Answer> answers = read_stored_answers(store);
  resume(answers, data::content_hash(store.manifest()));
  bool has_begun = false;
  for_each_stored_answer(
      store, [&](const Answer& answer, const data::ShardReader& shard, std::size_t i) {
        const auto drafter = method(answer.temperature()).new_drafter();
        be_ready();
        if (restore(answer)) return;
        const engine::TapRequest wants =
            drafter == nullptr ? engine::TapRequest() : drafter->traits().wants;
        const bool recorded = RecordedStates::suffice(wants, store.identity().layers);
        const auto replay_it = [&] {
          std::vector<data::LayerStates> of_trace;
          for (const int layer : recorded ? wants.layers : std::vector<int>())
            of_trace.push_back({layer, shard.states(i, layer)});
          states.take(std::move(of_trace));
          return replay(answer, recorded ? static_cast<Observations*>(&states) : &recomputed_);
        };
        if (!std::exchange(has_begun, true)) {
          if (watch_.is_heard()) plan_by(answer, journal_->left_of(answers), replay_it);
          watch_.begin("texts", std::ssize(answers), texts_);
        }
        keep(answer, replay_it());
      });
  be_ready();
  watch_.end();
}

void Replays::of_decoding(const std::vector<text::PromptRecord>& prompts,
                          const inference::GenerationOptions& options, int sequences) {
  sequences_ = sequences;
  (void)method(options.sampler.temperature);
  be_ready();
  const std::vector<Answer> expected = answers_to(prompts, target_, options);
  resume(expected, "decoded");
  while (texts_ < std::ssize(expected) && restore(expected[static_cast<std::size_t>(texts_)])) {
  }
  const std::vector<text::PromptRecord> left(prompts.begin() + texts_, prompts.end());
  if (watch_.is_heard() && !left.empty()) plan_decoding(left, options, sequences);
  watch_.begin("texts", std::ssize(prompts), texts_);
  decode(options, sequences, left, [&](const inference::GeneratedText& text) {
    const Answer answer = answer_of(text, options);
    const Replay replayed = replay(answer, &recomputed_);
    count(answer, replayed);
    compare(text.name.prompt, text.result.stats.by_pass, replayed.by_pass);
    journal_->append(entry_of(replayed));
  });
  watch_.end();
}

void Replays::write_acceptance(const StudyFiles& files, const std::string& group,
                               std::uint64_t seed) const {
  if (acceptance_.empty()) return;
  files.write(artifacts::identity_of(target_.model()), group,
              {"calibrate replay", target_.engine().place(), seed},
              [&](hdf5::Writer& file, const std::string& path) {
                artifacts::write_acceptance(acceptance_, file, path);
              });
}

/// As far as the first tokens of those tell that are decoded first.
void Replays::plan_decoding(const std::vector<text::PromptRecord>& left,
                            inference::GenerationOptions options, int sequences) {
  const auto together = std::min<std::int64_t>(sequences, std::ssize(left));
  const std::vector<text::PromptRecord> sample(left.begin(), left.begin() + together);
  const double seconds = seconds_of_decoding(options.max_new, [&](int max_new) {
    options.max_new = max_new;
    decode(options, sequences, sample, [&](const inference::GeneratedText& text) {
      replay(answer_of(text, options), &recomputed_);
    });
  });
  const double times = static_cast<double>(left.size()) / static_cast<double>(together);
  watch_.plan({{fmt::format("{} texts decoded and replayed", left.size()), seconds * times}});
}

void Replays::decode(const inference::GenerationOptions& options, int sequences,
                     const std::vector<text::PromptRecord>& prompts, const OnGenerated& on_text) {
  if (sequences > 1)
    decode_together(options, sequences, prompts, on_text);
  else
    decode_alone(options, prompts, on_text);
}

void Replays::decode_alone(const inference::GenerationOptions& options,
                           const std::vector<text::PromptRecord>& prompts,
                           const OnGenerated& on_text) {
  const methods::PreparedMethod& prepared = method(options.sampler.temperature);
  for (const text::PromptRecord& prompt : prompts) {
    inference::Generation generation(target_, options,
                                     inference::context_needed(target_, prompt, options.max_new),
                                     prepared.new_drafter());
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
      {.sequences = sequences, .share = [](std::span<decode::RowShare>, int) {}});
  batch.run(prompts, [&](const inference::BatchedText& one) { on_text(one.text); });
  if (watch_.interrupted()) throw Interrupted();
}

}  // namespace outrider::calibrate
