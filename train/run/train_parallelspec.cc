#include "train/run/train_parallelspec.h"

#include <fmt/core.h>

#include <array>
#include <vector>

#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/base/error.h"
#include "train/draft/draft_layer.h"
#include "train/draft/quantised_draft.h"
#include "train/parallelspec/fit_parallelspec.h"
#include "train/parallelspec/write_vllm_folder.h"
#include "train/run/choose_head.h"
#include "train/run/drafter_result.h"
#include "train/run/paper_preset.h"
#include "train/run/parallelspec_start.h"
#include "train/run/recipe_values.h"
#include "train/run/run_states.h"
#include "train/run/training_run.h"

namespace outrider::train {
namespace {

constexpr std::int64_t kMaskTokens = 8192;
constexpr int kRateWidth = 576;  // of the target that the default learning rate was found for

ParallelSpecRecipe recipe_of(ParallelSpecTraining& training) {
  return {training.run, training.parallel, training.learning, training.vocab_size};
}

/// What follows from what was given. @throws InputError for what contradicts it
void resolve(ParallelSpecTraining& training) {
  ParallelSpecOptions& parallel = training.parallel;
  const Flavour flavour = parallel.shape.flavour;
  if (training.preset == "paper") {
    ParallelSpecTraining usual;
    use_paper_preset(flavour, recipe_of(usual), recipe_of(training));
  }
  if (training.run.given.contains("learning-rate") ||
      training.run.training.schedule.peak != ParallelSpecTraining().run.training.schedule.peak)
    training.run.rate_width = 0;
  if (flavour == Flavour::kEagleAr) parallel.shape.masks = 0;
  parallel.final_norm = parallel.final_norm && flavour != Flavour::kMedusaHeads;
  if (training.is_export()) {
    parallel.shape.shared_mask = true;
    parallel.final_norm = true;
    parallel.feature_weight = 0;
  }
  parallel.tokens.hard_share = training.learning.share_of_hard();
  parallel.most_context = training.learning.most_context;
  check_own_folder("--cache", training.cache, training.run);
  if (training.cache_only && !training.run.workers.empty())
    throw InputError("--cache-only: not with --workers; fill the folder in one process");
  if (training.cache_only && training.cache.empty())
    throw InputError("--cache-only: expected --cache with it, found none");
  if (training.is_export()) check_export(training.exported, training.run);
  const bool learns_states = parallel.shape.reads_pairs() && parallel.feature_weight > 0;
  if (parallel.token_weight == 0 && !learns_states)
    throw InputError(
        "--token-weight: expected a number above 0 where the loss has no part on states, found 0");
}

/// What --finish finds in the checkpoint: the shape of a drafter that may have been an earlier one's.
void take_trained(const nlohmann::json& objective, ParallelSpecOptions& parallel) {
  const Flavour flavour = parallel.shape.flavour;
  if (objective.value("flavour", "") != draft::name_of(flavour)) return;  // refused as another run
  parallel.shape = shape_in(objective, flavour);
  parallel.final_norm = objective.at("final_norm");
  parallel.started_from = objective.value("started_from", "");
}

/// --feed-forward beside --start-from. @param earlier  the width of that drafter; 0 is the target's
int wider(int asked, int earlier, const model::Model& target) {
  const int all = draft_config(target, std::array{target.config.layers}).ffn_width;
  const auto width = [all](int units) { return units == 0 ? all : units; };
  if (width(asked) < width(earlier))
    throw InputError(
        fmt::format("--feed-forward: expected at least {}, the width of the drafter that "
                    "--start-from names, found {}",
                    width(earlier), width(asked)));
  return asked;
}

/// The earlier drafter, whose shape is that of the run, as far as both have it.
std::optional<ParallelSpecStart> read_start(ParallelSpecTraining& training,
                                            const TrainingRun& run) {
  const model::Model& target = run.target();
  ParallelSpecOptions& parallel = training.parallel;
  if (training.start_from.empty() && training.run.finish)
    take_trained(run.checkpoint().identity.at("objective"), parallel);
  if (training.start_from.empty()) return {};
  std::optional<ParallelSpecStart> start(std::in_place, training.start_from, target,
                                         parallel.shape.flavour, training.is_export());
  const bool keeps_masks = start->shape().flavour == parallel.shape.flavour;
  std::vector<const char*> kept = {"inputs", "no-final-norm"};
  if (start->is_run()) kept.push_back("feed-forward");
  if (keeps_masks) kept.insert(kept.end(), {"masks", "shared-mask"});
  if (training.is_export()) kept.insert(kept.end(), {"state-layers", "mask-token", "vocab-size"});
  for (const char* const option : kept)
    if (training.run.given.contains(option))
      throw InputError(fmt::format(
          "--{}: expected none with --start-from, which keeps that drafter's own", option));
  const int units = training.run.given.contains("feed-forward")
                        ? wider(parallel.shape.feed_forward, start->shape().feed_forward, target)
                        : start->shape().feed_forward;
  if (keeps_masks) parallel.shape = start->shape();
  parallel.shape.feed_forward = units;
  parallel.final_norm = start->final_norm();
  parallel.started_from = start->hash();
  return start;
}

/// Notes in the recipe what is used where an option says something else: the shape of an earlier drafter, the size of the
/// head, and nothing where a flavour has no such setting.
void note_used(ParallelSpecTraining& training, std::size_t head_tokens) {
  const ParallelSpecShape& shape = training.parallel.shape;
  std::string& recipe = training.run.recipe;
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  const bool has_choice = shape.flavour == Flavour::kMedusa;
  const std::string inputs = shape.token_inputs ? "\"tokens\"" : "\"hidden\"";
  set_value(recipe, "inputs", has_choice ? inputs : "");
  const bool has_masks = shape.flavour != Flavour::kEagleAr;
  set_value(recipe, "masks", has_masks ? fmt::format("{}", shape.masks) : "");
  if (!has_masks) set_value(recipe, "slot-decay", "");
  set_value(recipe, "shared-mask", truth(shape.shared_mask));
  const bool has_layer = shape.flavour != Flavour::kMedusaHeads;
  set_value(recipe, "no-final-norm", has_layer ? truth(!training.parallel.final_norm) : "");
  set_value(recipe, "feed-forward", has_layer ? fmt::format("{}", shape.feed_forward) : "");
  set_value(recipe, "vocab-size", fmt::format("{}", head_tokens));
}

/// Tells, and notes in the recipe, a learning rate that follows from the target's width.
void note_rate(TrainingRun& run, ParallelSpecTraining& training) {
  const double usual = training.run.training.schedule.peak;
  if (run.peak_rate() == usual || training.run.finish) return;
  set_value(training.run.recipe, "learning-rate", fmt::format("{}", run.peak_rate()));
  run.watch().inform(fmt::format("--learning-rate {}: {} for a width of {}, here it is {}",
                                 run.peak_rate(), usual, training.run.rate_width,
                                 run.target().config.width));
}

/// Gives the drafter what it begins with, by some of what it is trained on; Medusa's heads begin as they are.
void fit(TrainingRun& run, const ParallelSpecTraining& training, ParallelSpecObjective& objective) {
  if (training.parallel.shape.flavour == Flavour::kMedusaHeads) return;
  if (training.is_export()) return fit_masks(objective, run.first_traces(kMaskTokens));
  ParallelSpecFitter fitter(objective);
  run.for_first_traces(tokens_to_fit(objective),
                       [&](std::span<const data::Trace> some) { fitter.add(some); });
  const ParallelSpecFit fitted = fitter.finish();
  if (objective.layer_drafter()->fc().defined())
    run.watch().inform(
        fmt::format("fc fitted on {} tokens, ridge {}: of other prompts it explains {:.3f} of the "
                    "states' variance",
                    fitted.rows, fitted.ridge, fitted.explained));
}

/// Gives the drafter an earlier one's weights. Masks that this had none of begin as without it.
void begin_from(const ParallelSpecStart& start, const TrainingRun& run,
                ParallelSpecObjective& objective) {
  const ParallelSpecShape& shape = objective.options().shape;
  if (shape.masks > 0 && start.shape().masks == 0)
    fit_masks(objective, run.first_traces(kMaskTokens));
  start.give_weights(objective);
}

/// Writes a drafter that the runtime serves.
const std::filesystem::path& write_drafter(const DrafterResult& result,
                                           const ParallelSpecObjective& objective,
                                           const ParallelSpecTraining& training,
                                           const model::Model& target) {
  const std::string& quantise = training.learning.quantise;
  draft::ParallelSpecModel drafter = objective.to_model();
  drafter.layer = quantised_draft(std::move(drafter.layer), quantise);
  if (drafter.has_heads())
    drafter.residual = quantised_residual(std::move(drafter.residual), quantise);
  const bool shares_head =
      training.head == "target" ||
      (training.head == "auto" && target.head.row_bytes() <= drafter.layer.head.row_bytes());
  return result.write("train parallelspec",
                      {{"quantise", quantise}, {"head", shares_head ? "target" : "own"}},
                      [&](hdf5::Writer& file, const std::string& group) {
                        artifacts::write_parallelspec(drafter, file, group, shares_head);
                      });
}

}  // namespace

ParallelSpecTraining::ParallelSpecTraining() {
  parallel.slot_decay = 0.8;
  parallel.shape.token_inputs = false;
  run.epochs = 8;
  run.training.schedule.peak = 1e-3;
  run.rate_width = kRateWidth;
  run.training.adamw.decay = 0.01;
  run.training.validate_every = 500;
  run.validation_traces = 128;
}

std::optional<std::filesystem::path> train_parallelspec(ParallelSpecTraining training,
                                                        Watch& watch) {
  resolve(training);
  TrainingRun run(training.run, watch);
  training.parallel.precision = run.precision(training.learning.precision);
  const std::optional<ParallelSpecStart> start = read_start(training, run);
  ParallelSpecShape& shape = training.parallel.shape;
  std::optional<DrafterResult> result;  // of a drafter that the runtime serves
  if (!training.is_export())
    result.emplace(run, artifacts::parallelspec_group(shape.flavour));
  else if (!start && !training.run.finish)
    shape.exported = export_shape(training.exported, run.target());
  std::optional<RunStates> states;
  if (shape.reads_states() && !training.run.finish) {
    states.emplace(run, shape.state_layers(), training.cache);
    if (run.has_workers()) states->check_filled(training.cache);
    states->fill(run.watch());
    run.use_states(states->sources());
  }
  if (training.cache_only) return {};
  const std::vector<Token> head =
      choose_head(run, start ? &start->head_tokens() : nullptr, training.vocab_size);
  note_used(training, head.size());
  note_rate(run, training);
  ParallelSpecObjective objective(run.target(), head, training.parallel,
                                  at::device(run.device()).dtype(at::kFloat));
  run.train(objective, [&] {
    if (start)
      begin_from(*start, run, objective);
    else
      fit(run, training, objective);
  });
  if (!run.leads()) return {};
  if (result) return write_drafter(*result, objective, training, run.target());
  const std::string& out = training.exported.out;
  if (out.empty()) {
    watch.inform("kept in the checkpoint; --finish with --out DIR writes it for vLLM");
    return {};
  }
  write_vllm_folder(*objective.export_drafter(), run.target(), out);
  return out;
}

}  // namespace outrider::train
