#include "tests/support/tiny_parallel.h"

#include <random>
#include <vector>

#include "tests/support/shallow_model.h"
#include "tests/support/state_model.h"

namespace outrider::test {

draft::ParallelModel tiny_parallel(const model::Model& target, const ParallelShape& shape,
                                   std::uint64_t seed) {
  draft::ParallelModel made;
  made.flavour = shape.flavour;
  made.token_inputs = shape.token_inputs;
  const std::vector<int> last = {target.config.layers};
  made.layer = shallow_model(target, last, every_token(target.config.vocab, 1, 3));
  const bool eagle = draft::ParallelModel::reads_pairs(shape.flavour);
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
