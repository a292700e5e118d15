#include "calibrate/commands/layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/pld_plus/layer_sweep.h"
#include "runtime/artifacts/copy_layer.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/progress.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  calibrate layer -m MODEL.gguf\n"
    "  calibrate layer -m MODEL.gguf --data traces --artifacts mine.h5\n";

struct LayerOptions {
  AnswerOptions answers;
  int draft_length = kDraftLength;
  ResultOptions result;
};

artifacts::CopyLayer curves(const LayerSweep& sweep, int draft_length) {
  artifacts::CopyLayer found;
  found.draft_length = draft_length;
  for (int layer = 0; layer < sweep.layers(); ++layer)
    found.by_layer.push_back(sweep.replay(layer, draft_length, -1).tokens_per_pass());
  const auto best = std::max_element(found.by_layer.begin(), found.by_layer.end());
  found.chosen = static_cast<int>(best - found.by_layer.begin());
  for (const int k : {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 70, 100}) {
    found.draft_lengths.push_back(k);
    found.by_draft_length.push_back(sweep.replay(found.chosen, k, -1).tokens_per_pass());
  }
  for (const double threshold : {-1.0, -0.75, -0.5, 0.0, 0.5, 0.75, 0.9}) {
    const Replay replay = sweep.replay(found.chosen, draft_length, threshold);
    found.thresholds.push_back(threshold);
    found.by_threshold.push_back(replay.tokens_per_pass());
    found.drafted_by_threshold.push_back(replay.passes == 0
                                             ? 0
                                             : static_cast<double>(replay.drafted) /
                                                   static_cast<double>(replay.passes));
  }
  return found;
}

void report(const artifacts::CopyLayer& found) {
  std::string text = "layer   tokens per pass\n";
  for (std::size_t i = 0; i < found.by_layer.size(); ++i)
    text += fmt::format("{:<7} {:.3f}\n", i, found.by_layer[i]);
  text += "draft length\n";
  for (std::size_t i = 0; i < found.draft_lengths.size(); ++i)
    text += fmt::format("{:<7} {:.3f}\n", found.draft_lengths[i], found.by_draft_length[i]);
  text += "threshold, tokens drafted per pass\n";
  for (std::size_t i = 0; i < found.thresholds.size(); ++i)
    text += fmt::format("{:<7} {:.3f}   {:.2f}\n", found.thresholds[i], found.by_threshold[i],
                        found.drafted_by_threshold[i]);
  write_output(text + fmt::format("chosen: layer {}\n", found.chosen));
}

void calibrate_layer(const LayerOptions& options) {
  const bool quiet = options.answers.decode.quiet;
  DecodeTarget target(options.answers.decode);
  catch_interrupts();
  const Answers answers = find_answers(target, options.answers);
  LayerSweep sweep(target.engine());
  {
    Progress progress("answers", std::ssize(answers.all), quiet);
    std::int64_t done = 0;
    for (const Answer& answer : answers.all) {
      if (interrupted()) throw Interrupted();
      sweep.add(answer);
      progress.show(++done);
    }
  }
  const artifacts::CopyLayer found = curves(sweep, options.draft_length);
  report(found);
  const auto path = write_result(
      options.result, artifacts::identity_of(target.model()), artifacts::kCopyLayerGroup,
      "calibrate layer", static_cast<std::uint64_t>(options.answers.decode.sampler.seed),
      answers.identity, [&](artifacts::Hdf5Writer& file, const std::string& group) {
        artifacts::write_copy_layer(found, file, group);
      });
  if (!quiet) fmt::print(stderr, "written to {}\n", path.string());
}

}  // namespace

Command add_layer(CLI::App& app) {
  auto options = std::make_shared<LayerOptions>();
  CLI::App* command =
      app.add_subcommand("layer", "Find the layer whose states say where to copy from");
  command->footer(kExamples);
  declare_answer_flags(*command, options->answers);
  command
      ->add_option("--draft-length", options->draft_length,
                   "Tokens of a draft while layers are tried")
      ->check(whole_number(1, 256));
  declare_result_flags(*command, options->result);
  return {command, [options] { calibrate_layer(*options); },
          [options](const std::string& resolved) { options->result.resolved = resolved; }};
}

}  // namespace outrider::calibrate
