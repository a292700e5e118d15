#include "tests/support/tiny_parallelspec.h"

#include <random>
#include <utility>
#include <vector>

#include "runtime/draft/parallelspec/head_config.h"
#include "runtime/draft/parallelspec/medusa_heads_drafter.h"
#include "runtime/draft/parallelspec/parallelspec_drafter.h"
#include "tests/support/shallow_model.h"
#include "tests/support/state_model.h"

namespace outrider::test {
namespace {

void add_heads(const model::Model& target, int heads, std::uint64_t seed,
               draft::ParallelSpecModel& made) {
  const int width = target.config.width;
  made.layer = shallow_model(target, {}, every_token(target.config.vocab, 1, 3));
  made.layer.config = draft::head_config(width, target.config.vocab);
  made.layer.final_norm = {};
  made.residual.config = draft::head_config(width, /*vocab=*/0);
  made.residual.head = random_weight(made.residual, "residual", target.layers.front().q.type,
                                     std::int64_t{heads} * width, width, seed);
}

}  // namespace

std::unique_ptr<draft::Drafter> parallelspec_drafter(
    std::shared_ptr<const draft::ParallelSpecModel> model, const engine::Engine& target,
    const draft::ParallelSpecDrafterOptions& options) {
  const std::shared_ptr<engine::Engine> engine = target.beside(model->layer, {.for_drafts = true});
  if (!model->has_heads())
    return std::make_unique<draft::ParallelSpecDrafter>(std::move(model), engine, options);
  std::shared_ptr<engine::Engine> residual = target.beside(model->residual, {.for_drafts = true});
  return std::make_unique<draft::MedusaHeadsDrafter>(std::move(model), std::move(residual), engine,
                                                     options);
}

draft::ParallelSpecModel tiny_parallelspec(const model::Model& target,
                                           const ParallelSpecShape& shape, std::uint64_t seed) {
  draft::ParallelSpecModel made;
  made.flavour = shape.flavour;
  made.token_inputs = shape.token_inputs && !made.has_heads();
  if (made.has_heads()) {
    add_heads(target, shape.masks, seed, made);
    return made;
  }
  const std::vector<int> last = {target.config.layers};
  made.layer = shallow_model(target, last, every_token(target.config.vocab, 1, 3));
  const bool eagle = draft::ParallelSpecModel::reads_pairs(shape.flavour);
  if (eagle) made.layer = state_model(made.layer, target.layers.front().q.type, seed);
  if (made.drafts_one_by_one()) return made;
  std::mt19937_64 random(seed + 1);
  const auto numbers = [&] {
    std::vector<float> row(static_cast<std::size_t>(shape.masks * target.config.width));
    for (float& number : row) number = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    return row;
  };
  made.mask_embeddings = numbers();
  if (eagle) made.mask_features = numbers();
  return made;
}

}  // namespace outrider::test
