// Writes layers of a target as its draft model, with the head rows of its first tokens and without any
// training: for timing, and for trying programs that take a draft model.
//   make_shallow_draft MODEL ARTIFACTS TOKENS TYPE LAYER...
// TYPE: Q8_0 or Q4_1, of the layers; the head is Q8_0. Layers count from 1.

#include <cstdio>
#include <numeric>
#include <string>

#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/model/quantise.h"
#include "tests/support/shallow_model.h"

namespace {

using namespace outrider;

void requantise(model::Model& model, model::Weight& weight, model::WeightType type) {
  std::vector<float> numbers(static_cast<std::size_t>(weight.rows * weight.columns));
  for (std::int64_t r = 0; r < weight.rows; ++r)
    weight.read_row(r, numbers.data() + r * weight.columns);
  weight.bytes = model.keep(model::quantise(type, numbers));
  weight.type = type;
  weight.row_order.clear();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "make_shallow_draft MODEL ARTIFACTS TOKENS Q8_0|Q4_1 LAYER...\n");
    return 2;
  }
  const model::Model target = model::load_model(argv[1]);
  const int tokens = std::stoi(argv[3]);
  const auto type =
      argv[4] == std::string("Q4_1") ? model::WeightType::kQ4_1 : model::WeightType::kQ8_0;
  std::vector<int> layers;
  for (int i = 5; i < argc; ++i) layers.push_back(std::stoi(argv[i]));
  model::Model draft = test::shallow_model(target, layers, test::every_token(tokens, 0, 1));
  for (model::LayerWeights& layer : draft.layers)
    for (model::Weight* weight :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      requantise(draft, *weight, type);
  requantise(draft, draft.head, model::WeightType::kQ8_0);
  artifacts::replace_group(argv[2], artifacts::identity_of(target), artifacts::kDraft,
                           {"make_shallow_draft", "", 0, "", {}, {}},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_draft(draft, layers, file, group);
                           });
}
