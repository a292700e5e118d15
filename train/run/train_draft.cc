#include "train/run/train_draft.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "runtime/artifacts/draft_group.h"
#include "runtime/base/error.h"
#include "train/draft/fit_draft.h"
#include "train/draft/quantised_draft.h"
#include "train/run/choose_head.h"
#include "train/run/draft_start.h"
#include "train/run/drafter_result.h"
#include "train/run/recipe_values.h"
#include "train/run/training_run.h"

namespace outrider::train {
namespace {

constexpr std::int64_t kFittedTokens = 8192;

void check_layers(const std::vector<int>& layers, const model::Model& target) {
  for (const int layer : layers)
    if (layer < 1 || layer > target.config.layers)
      throw InputError(fmt::format("--layers: expected a whole number from 1 to {}, found '{}'",
                                   target.config.layers, layer));
}

/// The earlier draft, whose layers are those of the run. With --finish the checkpoint says what it was.
std::optional<DraftStart> read_start(DraftTraining& training, const TrainingRun& run) {
  const model::Model& target = run.target();
  if (training.start_from.empty() && training.run.finish) {
    const nlohmann::json& trained = run.checkpoint().identity.at("objective");
    training.draft.layers = trained.value("layers", training.draft.layers);
    training.draft.started_from = trained.value("started_from", "");
  }
  if (training.start_from.empty()) return {};
  if (!training.draft.layers.empty())
    throw InputError("--layers: expected none with --start-from, which keeps that draft's own");
  std::optional<DraftStart> start(std::in_place, training.start_from, target);
  training.draft.layers = start->layers();
  training.draft.started_from = start->hash();
  return start;
}

/// Gives the draft what it begins with, by some of what it is trained on.
void fit(TrainingRun& run, DraftObjective& objective) {
  engine::EngineOptions options = run.engine_options();
  options.cache_tokens = run.options().context;
  const auto engine = engine::make_engine(run.target(), options);
  const DraftFit fitted = fit_draft(objective, *engine, run.first_traces(kFittedTokens));
  run.watch().inform(fmt::format("fitted to the target on {} tokens: loss {:.3f} per token",
                                 fitted.tokens, fitted.loss));
}

}  // namespace

std::optional<std::filesystem::path> train_draft(DraftTraining training, Watch& watch) {
  TrainingRun run(training.run, watch);
  DraftOptions& options = training.draft;
  check_layers(options.layers, run.target());
  options.loss.hard_share = training.learning.share_of_hard();
  options.precision = run.precision(training.learning.precision);
  options.most_context = training.learning.most_context;
  const std::optional<DraftStart> start = read_start(training, run);
  const DrafterResult result(run, artifacts::kDraft);
  std::vector<Token> head =
      choose_head(run, start ? &start->head_tokens() : nullptr, training.vocab_size);
  set_value(training.run.recipe, "vocab-size", fmt::format("{}", head.size()));
  DraftObjective objective(run.target(), std::move(head), options,
                           at::device(run.device()).dtype(at::kFloat));
  run.train(objective, [&] {
    if (start)
      start->give_weights(objective);
    else
      fit(run, objective);
  });
  if (!run.leads()) return {};
  const std::string& quantise = training.learning.quantise;
  const model::Model draft = quantised_draft(objective.to_model(), quantise);
  return result.write("train draft", {{"quantise", quantise}},
                      [&](hdf5::Writer& file, const std::string& group) {
                        artifacts::write_draft(draft, objective.options().layers, file, group);
                      });
}

}  // namespace outrider::train
