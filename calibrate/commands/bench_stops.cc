#include "calibrate/commands/bench_stops.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "calibrate/commands/stop_report.h"
#include "data/study/stop_study_run.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/notices.h"
#include "runtime/cli/progress.h"
#include "runtime/inference/context_needed.h"
#include "runtime/methods/ssd.h"
#include "runtime/methods/trained_disco.h"

namespace outrider::calibrate {
namespace {

/// Length and threshold; of a classifier also how much it reads, what the threshold is of, and its labels.
std::string settings_text(const methods::ResolvedSsd& resolved) {
  const methods::SsdSettings& settings = resolved.settings;
  std::string text = fmt::format("--draft-length {}", *settings.draft_length);
  if (draft::has_threshold(settings.stop))
    text += fmt::format(" --draft-threshold {:.2f}", *settings.threshold);
  if (resolved.stop.classifier)
    text += fmt::format(", {} inputs, {}, {} labels", resolved.stop.classifier->inputs_read(),
                        resolved.stop.along_path ? "product of C_i" : "C_i", resolved.label);
  return text;
}

/// The policies of a study, with the settings that flags give, and the draft model that they share.
class StudiedPolicies {
 public:
  StudiedPolicies(const GridFlags& flags, const methods::MethodTarget& target) : target_(target) {
    flags.method.read(given_);
    find_tuned();
    add("static-5", "static", {.draft_length = 5});
    add("static-opt", "static", tuned_ ? tuned_->confidence->best_fixed() : kUntuned);
    add("heuristic", "heuristic");
    add("confidence", "confidence", tuned_ ? tuned_->confidence->best_stopped() : kUntuned);
    add("path", "path", tuned_ ? tuned_->path->best_stopped() : kUntuned);
    add(draft::kDiscoStop, draft::kDiscoStop,
        published_ ? published_->settings.best_stopped() : kUntuned);
    add(draft::kClassifierStop, draft::kClassifierStop,
        tuned_ ? tuned_->settings.best_stopped() : kUntuned);
    if (given_.settings.verify == "coupled") add("oracle", "oracle");
  }

  std::vector<study::StudiedPolicy> policies;
  std::optional<methods::ResolvedSsd> first;  // of them

 private:
  using Cell = cost::DraftSettings::Cell;
  static constexpr Cell kUntuned = {};

  /// What `train disco` chose, where it was on this machine: for every policy on the same texts.
  void find_tuned() {
    published_ = tuned(draft::kDiscoStop);
    tuned_ = tuned(draft::kClassifierStop);
  }

  std::optional<artifacts::TrainedStop> tuned(const std::string& stop) {
    methods::Ssd ssd = given_;
    ssd.settings.stop = stop;
    const methods::ResolvedSsd resolved = ssd.resolve(target_);
    const auto disco = methods::find_trained_disco(target_, stop, resolved.settings.disco_set,
                                                   resolved.settings.draft, *resolved.draft->model,
                                                   given_.settings.artifacts);
    const artifacts::TrainedStop& found = disco->nearest(target_.temperature());
    if (disco->machine != target_.engine().place().name || !found.confidence || !found.path)
      return std::nullopt;
    return found;
  }

  /// @param chosen  its length, and its threshold above 0, where they are not left to the method
  void add(const std::string& name, const std::string& stop, const Cell& chosen = kUntuned) {
    methods::Ssd ssd = given_;
    ssd.settings.stop = stop;
    if (!draft::has_classifier(stop)) ssd.settings.disco_set.clear();
    if (chosen.draft_length > 0) ssd.settings.draft_length = chosen.draft_length;
    if (chosen.threshold > 0) ssd.settings.threshold = chosen.threshold;
    const methods::ResolvedSsd resolved = ssd.resolve(target_);
    if (!first) first = resolved;
    study::StudiedPolicy policy = {name, settings_text(resolved),
                                   [resolved] { return resolved.new_drafter(); }};
    if (stop != "oracle")
      policy.evaluation.emplace(
          draft::make_stop_policy(resolved.stop, resolved.draft->engine->score_kernels()),
          resolved.options.longest);
    policy.tell = resolved.tell_plain_text();
    policies.push_back(std::move(policy));
  }

  const methods::MethodTarget& target_;
  methods::Ssd given_;
  std::optional<artifacts::TrainedStop> tuned_, published_;
};

}  // namespace

void bench_stops(const cli::TargetFlags& target_flags, const GridFlags& flags, int rounds,
                 const std::string& json_path) {
  const inference::GenerationOptions options = generation_options(flags.generation);
  std::vector<text::PromptRecord> prompts = read_prompts(flags.prompts);
  inference::Target target(target_options(target_flags, false));
  inference::choose_prompts(target, flags.prompts.skip_refused, prompts);
  const methods::MethodTarget of_target(target.model(), target.engine(),
                                        options.sampler.temperature, nullptr, cli::notices(false));
  StudiedPolicies studied(flags, of_target);
  const methods::ResolvedSsd& first = *studied.first;
  study::StopStudy study;
  study.model = target_flags.model;
  study.draft = first.settings.draft;
  study.verify = first.settings.verify;
  study.machine = target.engine().place().name;
  study.numerics = target.engine().numerics_name();
  study.isa = target.engine().place().unit;
  study.threads = target.engine().workers();
  study.prompts = static_cast<int>(prompts.size());
  study.rounds = rounds;
  study.max_new = options.max_new;
  study.temperature = options.sampler.temperature;
  study::StopStudyRun run(target, options, std::move(studied.policies), *first.draft->engine,
                          first.options.head_tokens, study);
  OutputFile json("--json", json_path), plot("--plot", flags.plot);
  catch_interrupts();
  {
    cli::Progress progress("texts", run.texts(prompts));
    run.run(prompts, [&](std::int64_t done) { progress.show(done); });
  }
  json.write_all(study_json(study));
  plot.write_all(study_plot(study));
  if (!json.is_standard_output() && !plot.is_standard_output()) write_output(study_text(study));
}

}  // namespace outrider::calibrate
