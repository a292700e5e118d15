#include "train/run/paper_preset.h"

#include <fmt/core.h>

#include <string>

#include "train/run/recipe_values.h"

namespace outrider::train {
namespace {

constexpr int kMasks = 4;
constexpr int kTextsOfStep = 32;
constexpr int kEveryToken = 1 << 24;

/// Sets what is neither given nor other than usual.
class Chooser {
 public:
  explicit Chooser(RunOptions& run) : run_(run) {}

  template <typename T>
  void choose(const char* flag, T& value, const T& usual, const T& of_paper) {
    if (run_.given.contains(flag) || value != usual) return;
    value = of_paper;
    set_value(run_.recipe, flag, text(of_paper));
  }

 private:
  static std::string text(const std::string& value) { return fmt::format("\"{}\"", value); }
  template <typename T>
  static std::string text(const T& value) {
    return fmt::format("{}", value);
  }

  RunOptions& run_;
};

}  // namespace

void use_paper_preset(Flavour flavour, const ParallelSpecRecipe& usual,
                      const ParallelSpecRecipe& options) {
  const bool is_eagle = draft::ParallelSpecModel::reads_pairs(flavour);
  Chooser chooser(options.run);
  if (flavour != Flavour::kEagleAr) {
    chooser.choose("masks", options.parallel.shape.masks, usual.parallel.shape.masks, kMasks);
    chooser.choose("slot-decay", options.parallel.slot_decay, usual.parallel.slot_decay, 1.0);
  }
  chooser.choose("groups", options.parallel.groups, usual.parallel.groups, 0);
  chooser.choose("vocab-size", options.vocab_size, usual.vocab_size, kEveryToken);
  if (is_eagle)
    chooser.choose("feature-weight", options.parallel.feature_weight, usual.parallel.feature_weight,
                   1.0);
  chooser.choose("token-weight", options.parallel.token_weight, usual.parallel.token_weight, 1.0);
  chooser.choose("loss", options.learning.loss, usual.learning.loss, std::string("hard"));

  TrainingOptions& training = options.run.training;
  const TrainingOptions& usually = usual.run.training;
  if (options.run.steps == 0)
    chooser.choose("epochs", options.run.epochs, usual.run.epochs, is_eagle ? 40.0 : 20.0);
  if (kTextsOfStep % training.batch == 0)
    chooser.choose("accumulate", training.accumulate, usually.accumulate,
                   kTextsOfStep / training.batch);
  chooser.choose("learning-rate", training.schedule.peak, usually.schedule.peak,
                 is_eagle ? 5e-5 : 5e-4);
  chooser.choose("weight-decay", training.adamw.decay, usually.adamw.decay, 0.0);
  chooser.choose("beta1", training.adamw.beta1, usually.adamw.beta1, 0.9);
  chooser.choose("beta2", training.adamw.beta2, usually.adamw.beta2, is_eagle ? 0.95 : 0.999);
}

}  // namespace outrider::train
