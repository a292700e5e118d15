#include "calibrate/commands/replay_texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "calibrate/answers/decoded_answers.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/answers.h"
#include "calibrate/commands/recorded_replays.h"
#include "calibrate/replay/recorded_states.h"
#include "calibrate/replay/replay.h"
#include "runtime/artifacts/acceptance.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/error.h"
#include "runtime/base/opened_files.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/notices.h"
#include "runtime/cli/progress.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/conversation_batch.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"

namespace outrider::calibrate {
namespace {

/// The objects that replays need.
class ReplaySetup {
 public:
  ReplaySetup(inference::Target& of_target, const ReplayOptions& of_options)
      : target(of_target),
        options(of_options),
        method_(of_options.method.chosen(of_options.given)),
        costs_(cli::quick_costs(of_options.costs, of_options.quiet)) {
    if (options.acceptance.empty()) return;
    check_output_file("--acceptance", options.acceptance);
    artifacts::claim_file_to_write(options.acceptance, artifacts::identity_of(target.model()),
                                   artifacts::acceptance_group(method_->name()), "--acceptance");
  }

  /// The method with its settings for a temperature.
  const methods::PreparedMethod& method(double temperature) {
    auto found = prepared_.find(temperature);
    if (found == prepared_.end())
      found =
          prepared_
              .emplace(temperature, method_->prepare({target.model(), target.engine(), temperature,
                                                      costs_, cli::notices(options.quiet)}))
              .first;
    return found->second;
  }

  /// Begun once a method was prepared: a run that is refused leaves the file of --json as it is.
  std::unique_ptr<RecordedReplays> replays() {
    const auto method_at = [this](double temperature) -> const methods::PreparedMethod& {
      return method(temperature);
    };
    return std::make_unique<RecordedReplays>(target.engine(), method_at, options.json);
  }

  /// Writes what was found.
  void end(const RecordedReplays& replays, const std::string& found) const {
    if (!options.acceptance.empty() && !replays.acceptance().empty()) keep(replays.acceptance());
    replays.write_summary(found);
  }

  inference::Target& target;
  const ReplayOptions& options;

 private:
  void keep(const std::map<double, draft::AcceptanceTable>& tables) const {
    const artifacts::TargetIdentity identity = artifacts::identity_of(target.model());
    const std::string group = artifacts::acceptance_group(method_->name());
    artifacts::replace_group(
        artifacts::file_to_write(options.acceptance, identity, group), identity, group,
        {"calibrate replay", options.resolved, options.generation.sampler.seed, {}, {}, {}},
        [&](hdf5::Writer& file, const std::string& path) {
          artifacts::write_acceptance(tables, file, path);
        });
  }

  std::unique_ptr<methods::Method> method_;
  std::shared_ptr<cost::QuickCosts> costs_;
  std::map<double, methods::PreparedMethod> prepared_;  // by temperature
};

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

/// Texts of earlier runs.
void replay_given(ReplaySetup& setup) {
  const ReplayOptions& options = setup.options;
  const model::ModelConfig& config = setup.target.model().config;
  const auto answers = read_decoded_answers(options.answers, config.vocab, config.context);
  for (const Answer& answer : answers) (void)setup.method(answer.temperature());
  const auto replays = setup.replays();
  cli::Progress progress("texts", std::ssize(answers), options.quiet);
  std::int64_t done = 0;
  for (const Answer& answer : answers) {
    replays->replay(answer);
    if (interrupted()) throw Interrupted();
    progress.show(++done);
  }
  setup.end(*replays, "");
}

/// The answers of a trace store. Where the store has the states that the drafter observes, these
/// are used.
void replay_stored(ReplaySetup& setup) {
  const data::TraceStore store = open_traces(setup.options.data, setup.target);
  RecordedStates states(setup.target.model().config);
  std::unique_ptr<RecordedReplays> replays;
  std::int64_t done = 0, traces = 0;
  for (const auto& [shard, entry] : store.manifest().shards) traces += entry.traces;
  cli::Progress progress("texts", traces, setup.options.quiet);
  for_each_stored_answer(
      store, [&](const Answer& answer, const data::ShardReader& shard, std::size_t i) {
        if (interrupted()) throw Interrupted();
        const auto drafter = setup.method(answer.temperature()).new_drafter();
        const engine::TapRequest wants =
            drafter == nullptr ? engine::TapRequest() : drafter->traits().wants;
        const bool recorded = RecordedStates::suffice(wants, store.identity().layers);
        if (!replays) replays = setup.replays();
        std::vector<data::LayerStates> of_trace;
        for (const int layer : recorded ? wants.layers : std::vector<int>())
          of_trace.push_back({layer, shard.states(i, layer)});
        states.take(std::move(of_trace));
        replays->replay(answer, recorded ? &states : nullptr);
        progress.show(++done);
      });
  if (!replays) replays = setup.replays();
  setup.end(*replays, "");
}

using OnGenerated = std::function<void(const inference::GeneratedText&)>;

void decode_alone(ReplaySetup& setup, const inference::GenerationOptions& options,
                  const std::vector<text::PromptRecord>& prompts, const OnGenerated& on_text) {
  inference::Target& target = setup.target;
  for (const text::PromptRecord& prompt : prompts) {
    const methods::PreparedMethod& method = setup.method(options.sampler.temperature);
    inference::Generation generation(target, options,
                                     inference::context_needed(target, prompt, options.max_new),
                                     method.new_drafter(), method.tell_plain_text());
    on_text(generation.generate({prompt.id, prompt.task}, inference::first_turn(target, prompt)));
  }
}

/// Each drafts as it does alone: none has to leave rows of a pass to others.
void decode_together(ReplaySetup& setup, const inference::GenerationOptions& options,
                     const std::vector<text::PromptRecord>& prompts, const OnGenerated& on_text) {
  const methods::PreparedMethod& method = setup.method(options.sampler.temperature);
  inference::ConversationBatch batch(
      setup.target, options, [&] { return method.new_drafter(); },
      {.sequences = setup.options.sequences, .share = [](std::span<decode::RowShare>, int) {}},
      method.tell_plain_text());
  batch.run(prompts, [&](const inference::BatchedText& one) { on_text(one.text); });
  if (interrupted()) throw Interrupted();
}

/// Decodes texts first, and compares.
void decode_and_replay(ReplaySetup& setup, const inference::GenerationOptions& options) {
  inference::Target& target = setup.target;
  std::vector<text::PromptRecord> prompts = read_prompts(setup.options.prompts);
  inference::choose_prompts(target, setup.options.prompts.skip_refused, prompts);
  (void)setup.method(options.sampler.temperature);
  const auto replays = setup.replays();
  cli::Progress progress("texts", std::ssize(prompts), setup.options.quiet);
  std::int64_t done = 0;
  const auto replay = [&](const inference::GeneratedText& text) {
    if (interrupted()) throw Interrupted();
    const Replay replayed = replays->replay(answer_of(text, options));
    compare(text.name.prompt, text.result.stats.by_pass, replayed.by_pass);
    progress.show(++done);
  };
  if (setup.options.sequences > 1)
    decode_together(setup, options, prompts, replay);
  else
    decode_alone(setup, options, prompts, replay);
  setup.end(*replays, ": replays equal decoding, pass by pass");
}

}  // namespace

void replay_texts(ReplayOptions& options) {
  const inference::TargetOptions of_target =
      target_of_traces(options.target, options.data, options.quiet);
  const inference::GenerationOptions generation = generation_options(options.generation);
  resolve_prompt_flags(options.prompts, options.given);
  inference::Target target(of_target);
  ReplaySetup setup(target, options);
  catch_interrupts();
  if (!options.data.empty())
    replay_stored(setup);
  else if (!options.answers.empty())
    replay_given(setup);
  else
    decode_and_replay(setup, generation);
}

}  // namespace outrider::calibrate
