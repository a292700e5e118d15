#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/left_of_studies.h"
#include "calibrate/commands/pld_plus_plots.h"
#include "calibrate/commands/pld_plus_settings.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/commands/study_plans.h"
#include "calibrate/pld_plus/state_choices.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "runtime/artifacts/pld_plus.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/interrupt.h"
#include "runtime/methods/shared_settings.h"
#include "runtime/report/pld_plus_report.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kLayerExamples =
    "An interrupted run continues when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate layer -m MODEL.gguf\n"
    "  calibrate layer -m MODEL.gguf --data traces --artifacts mine.h5\n";

const std::vector<double> kThresholds = {-1, -0.75, -0.5, 0, 0.5, 0.75, 0.9};

struct LayerOptions {
  AnswerOptions answers;
  int draft_length = methods::kDraftLength;
  std::string plot;
  ResultOptions result;
};

/// Tokens per pass of each ranking of the table from `first` on.
std::vector<double> by_ranking(const CopyTable& table, int draft_length, std::size_t first = 0) {
  std::vector<double> values;
  for (std::size_t ranking = first; ranking < table.rankings(); ++ranking)
    values.push_back(table.replay(ranking, {.draft_length = draft_length}).tokens_per_pass());
  return values;
}

/// [temperatures, rankings] The same for the answers of each temperature.
std::vector<double> by_ranking_at(const CopyTable& table, int draft_length, std::size_t first = 0) {
  std::vector<double> values;
  const auto tables = table.by_temperature();
  for (const auto& [temperature, answered] : tables) {
    const std::vector<double> of_these = by_ranking(answered, draft_length, first);
    values.insert(values.end(), of_these.begin(), of_these.end());
  }
  return values;
}

draft::PldPlusLayer curve(const StateSweep& sweep, int draft_length) {
  draft::PldPlusLayer found;
  found.draft_length = draft_length;
  found.by_layer = by_ranking(sweep.table(), draft_length);
  found.by_layer_at = by_ranking_at(sweep.table(), draft_length);
  const auto best = std::max_element(found.by_layer.begin(), found.by_layer.end());
  found.chosen = static_cast<int>(best - found.by_layer.begin());
  return found;
}

/// Records the results of averages and weights, and the best weight: the smallest on a tie.
/// @return the ranking with that weight
CopyTable note_means_and_weights(const CopyTable& table, int draft_length,
                                 draft::PldPlusLayer& found) {
  found.by_mean = by_ranking(table, draft_length);
  found.by_mean.resize(kMostAveraged);
  found.logit_weights = logit_weights();
  found.by_logit_weight = by_ranking(table, draft_length, kMostAveraged);
  found.by_logit_weight_at = by_ranking_at(table, draft_length, kMostAveraged);
  const auto& by_weight = found.by_logit_weight;
  const auto best = std::max_element(by_weight.begin(), by_weight.end()) - by_weight.begin();
  found.logit_weight = logit_weights()[static_cast<std::size_t>(best)];
  return table.only(static_cast<std::size_t>(kMostAveraged + best));
}

/// Adds the answers to a sweep, from the journal where it has them.
void look_at(StateSweep& sweep, const std::string& what, const Answers& answers,
             const LayerOptions& options, data::Journal& journal) {
  for_each_answer(
      what, answers.all, options.answers.quiet, journal,
      [&](const Answer& answer) {
        sweep.add(answer);
        return sweep.table().last_noted();
      },
      [&](const Answer& answer, const data::Journal::Entry& kept) {
        return sweep.table().restore(answer, kept);
      });
}

/// @param every, averaged  what is left of the two parts
void announce(engine::Engine& target, const WorkAhead& ahead, const WorkAhead& every,
              const WorkAhead& averaged, const LayerOptions& options) {
  if (options.answers.quiet) return;
  std::vector<PlannedPart> parts = making_part(ahead);
  for (PlannedPart& part : layer_parts(target, every, averaged)) parts.push_back(std::move(part));
  cli::announce("calibrate layer", parts, options.result.minutes, false);
}

void calibrate_layer(const LayerOptions& options) {
  const bool quiet = options.answers.quiet;
  inference::Target target(
      target_of_traces(options.answers.target, options.answers.data, options.answers.quiet));
  catch_interrupts();
  const auto identity = artifacts::identity_of(target.model());
  const auto artifact = result_file(options.result, identity, artifacts::kPldPlusLayer);
  const WorkShare share = share_of(options.result, artifact, quiet);
  check_answer_source(target, options.answers);
  OutputFile plot("--plot", options.plot);
  bool is_announced = false;
  const auto announce_once = [&](const WorkAhead& ahead, const WorkAhead& every,
                                 const WorkAhead& averaged) {
    if (!std::exchange(is_announced, true))
      announce(target.engine(), ahead, every, averaged, options);
  };
  Answers answers =
      find_answers(target, options.answers, artifact, "layer-answers", [&](const WorkAhead& ahead) {
        if (ahead.to_make > 0) announce_once(ahead, ahead, ahead);
      });
  data::Journal of_layers =
      journal_of(artifact, kLayersTried, target, answers.all, "", share, answers.all.size());
  if (const auto left = of_layers.left_of(answers.all); !left.empty())
    announce_once({}, work_on(left), of_layers.is_part() ? WorkAhead() : work_on(answers.all));
  StateSweep layers(target.engine(), every_layer(target.model().config));
  look_at(layers, "answers", answers, options, of_layers);
  draft::PldPlusLayer found = curve(layers, options.draft_length);
  data::Journal of_chosen =
      journal_of(artifact, kLayerAveraged, target, answers.all,
                 settings_of_averaged(options.draft_length), share, answers.all.size());
  announce_once({}, {}, work_on(of_chosen.left_of(answers.all)));
  StateSweep chosen(target.engine(), means_and_weights(found.chosen));
  look_at(chosen, "answers, states averaged and logits weighed", answers, options, of_chosen);
  end_share(share);
  const CopyTable weighed = note_means_and_weights(chosen.table(), options.draft_length, found);
  found.settings = find_settings(target.engine(), answers.all, kThresholds,
                                 known_artifacts(options.result, identity), weighed);
  const auto path = write_result(options.result, identity, artifacts::kPldPlusLayer,
                                 "calibrate layer", answers.seed, answers.identity,
                                 [&](hdf5::Writer& file, const std::string& group) {
                                   artifacts::write_pld_plus_layer(found, file, group);
                                 });
  of_layers.remove();
  of_chosen.remove();
  if (answers.made) answers.made->remove();
  plot.write_all(plot_of(found));
  if (!plot.is_standard_output()) write_output(report::pld_plus_layer_text(found));
  if (!quiet) print_log("written to {}\n", path.string());
}

}  // namespace

cli::Command add_layer(CLI::App& program) {
  auto options = std::make_shared<LayerOptions>();
  cli::CommandOptions command(
      program, "layer",
      "Find the layer whose states rank sources to copy from best, and the weight "
      "of logits");
  command.footer(kLayerExamples);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--draft-length", options->draft_length,
                  "Tokens of a draft when layers are compared")
      .check(cli::whole_number(1, 256));
  command.add_option("--plot", options->plot, "Also draw the curves, as SVG").type_name("FILE");
  declare_result_flags(command, options->result);
  declare_shard_flag(command, options->result,
                     [options] { return !options->answers.data.empty(); });
  cli::declare_minutes_flag(command, options->result.minutes);
  return answer_command(command, options, calibrate_layer);
}

}  // namespace outrider::calibrate
