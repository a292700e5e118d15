#include "calibrate/commands/layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/copy_plots.h"
#include "calibrate/commands/copy_settings.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "runtime/artifacts/copy_layer.h"
#include "runtime/base/atomic_file.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/commands/copy_report.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kExamples =
    "A run that was broken off goes on where it was when the same command is given again.\n\n"
    "Examples:\n"
    "  calibrate layer -m MODEL.gguf\n"
    "  calibrate layer -m MODEL.gguf --data traces --artifacts mine.h5\n";

const std::vector<double> kThresholds = {-1, -0.75, -0.5, 0, 0.5, 0.75, 0.9};

struct LayerOptions {
  AnswerOptions answers;
  int draft_length = kDraftLength;
  std::string plot;
  ResultOptions result;
};

/// Tokens per pass by each ranking of the table.
std::vector<double> by_ranking(const CopyTable& table, int draft_length) {
  std::vector<double> values;
  for (std::size_t ranking = 0; ranking < table.rankings(); ++ranking)
    values.push_back(table.replay(ranking, {.draft_length = draft_length}).tokens_per_pass());
  return values;
}

artifacts::CopyLayer curve(const StateSweep& sweep, int draft_length) {
  artifacts::CopyLayer found;
  found.draft_length = draft_length;
  found.by_layer = by_ranking(sweep.table(), draft_length);
  const auto tables = sweep.table().by_temperature();
  for (const auto& [temperature, answered] : tables) {
    const std::vector<double> of_these = by_ranking(answered, draft_length);
    found.by_layer_at.insert(found.by_layer_at.end(), of_these.begin(), of_these.end());
  }
  const auto best = std::max_element(found.by_layer.begin(), found.by_layer.end());
  found.chosen = static_cast<int>(best - found.by_layer.begin());
  return found;
}

/// Adds the answers to a sweep, or what the journal kept of them.
void look_at(StateSweep& sweep, const std::string& what, const Answers& answers,
             const LayerOptions& options, Journal& journal) {
  for_each_answer(
      what, answers.all, options.answers.decode.quiet, journal,
      [&](const Answer& answer) {
        sweep.add(answer);
        return sweep.table().last_noted();
      },
      [&](const Answer& answer, const Journal::Entry& kept) {
        return sweep.table().restore(answer, kept);
      });
}

void calibrate_layer(const LayerOptions& options) {
  const bool quiet = options.answers.decode.quiet;
  DecodeTarget target(options.answers.decode);
  catch_interrupts();
  const auto identity = artifacts::identity_of(target.model());
  const auto artifact = result_file(options.result, identity);
  Answers answers = find_answers(target, options.answers, artifact, "layer-answers");
  Journal of_layers = journal_of(artifact, "layers", target, answers.all, "");
  StateSweep layers(target.engine(), every_layer(target.model().config));
  look_at(layers, "answers", answers, options, of_layers);
  artifacts::CopyLayer found = curve(layers, options.draft_length);
  found.settings = find_settings(target.engine(), answers.all, kThresholds, artifact,
                                 layers.table().only(static_cast<std::size_t>(found.chosen)));
  Journal of_means =
      journal_of(artifact, "means", target, answers.all, fmt::format("layer {}", found.chosen));
  StateSweep means(target.engine(), means_of_layer(found.chosen, 6));
  look_at(means, "answers, states averaged", answers, options, of_means);
  found.by_mean = by_ranking(means.table(), options.draft_length);
  write_output(copy_layer_text(found));
  if (!options.plot.empty()) write_file_atomically(options.plot, plot_of(found));
  const auto path = write_result(options.result, identity, artifacts::kCopyLayerGroup,
                                 "calibrate layer", answers.seed, answers.identity,
                                 [&](artifacts::Hdf5Writer& file, const std::string& group) {
                                   artifacts::write_copy_layer(found, file, group);
                                 });
  of_layers.remove();
  of_means.remove();
  if (answers.made) answers.made->remove();
  if (!quiet) fmt::print(stderr, "written to {}\n", path.string());
}

}  // namespace

Command add_layer(CLI::App& program) {
  auto options = std::make_shared<LayerOptions>();
  CommandOptions command(program, "layer", "Find the layer whose states say where to copy from");
  command.footer(kExamples);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--draft-length", options->draft_length,
                  "Tokens of a draft while layers are tried")
      .check(whole_number(1, 256));
  command.add_option("--plot", options->plot, "Also draw the curves, as SVG").type_name("FILE");
  declare_result_flags(command, options->result);
  return answer_command(command, options, calibrate_layer);
}

}  // namespace outrider::calibrate
