#include "calibrate/commands/layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "calibrate/commands/answers.h"
#include "calibrate/commands/copy_settings.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/pld_plus/layer_sweep.h"
#include "runtime/artifacts/copy_layer.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  calibrate layer -m MODEL.gguf\n"
    "  calibrate layer -m MODEL.gguf --data traces --artifacts mine.h5\n";

const std::vector<double> kThresholds = {-1, -0.75, -0.5, 0, 0.5, 0.75, 0.9};

struct LayerOptions {
  AnswerOptions answers;
  int draft_length = kDraftLength;
  ResultOptions result;
};

artifacts::CopyLayer curve(const LayerSweep& sweep, int draft_length) {
  artifacts::CopyLayer found;
  found.draft_length = draft_length;
  for (int layer = 0; layer < sweep.layers(); ++layer)
    found.by_layer.push_back(sweep.replay(layer, draft_length, -1).tokens_per_pass());
  const auto best = std::max_element(found.by_layer.begin(), found.by_layer.end());
  found.chosen = static_cast<int>(best - found.by_layer.begin());
  return found;
}

void report(const artifacts::CopyLayer& found) {
  std::string text = "layer   tokens per pass\n";
  for (std::size_t i = 0; i < found.by_layer.size(); ++i)
    text += fmt::format("{:<7} {:.3f}\n", i, found.by_layer[i]);
  text += fmt::format("chosen: layer {}\n\n", found.chosen);
  write_output(text + settings_text(found.settings));
}

void calibrate_layer(const LayerOptions& options) {
  const bool quiet = options.answers.decode.quiet;
  DecodeTarget target(options.answers.decode);
  catch_interrupts();
  const Answers answers = find_answers(target, options.answers);
  LayerSweep sweep(target.engine());
  for_each_answer("answers", answers.all, quiet, [&](const Answer& answer) { sweep.add(answer); });
  artifacts::CopyLayer found = curve(sweep, options.draft_length);
  found.settings = find_settings(target.engine(), answers.all, kThresholds,
                                 [&](int draft_length, double threshold) {
                                   return sweep.replay(found.chosen, draft_length, threshold);
                                 });
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

Command add_layer(CLI::App& program) {
  auto options = std::make_shared<LayerOptions>();
  CommandOptions command(program, "layer", "Find the layer whose states say where to copy from");
  command.footer(kExamples);
  declare_answer_flags(command, options->answers);
  command
      .add_option("--draft-length", options->draft_length,
                  "Tokens of a draft while layers are tried")
      .check(whole_number(1, 256));
  declare_result_flags(command, options->result);
  return result_command(command, options, calibrate_layer);
}

}  // namespace outrider::calibrate
