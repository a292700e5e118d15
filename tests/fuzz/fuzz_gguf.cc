// Any bytes as a model file: refused with an InputError, or loaded completely: readable to the last row,
// with a tokenizer that is refused or works.

#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/model.h"
#include "runtime/tokenizer/tokenizer.h"

namespace {

using outrider::model::Weight;

void read_ends(const Weight& weight) {
  if (weight.rows == 0) return;  // the architecture does not have it
  std::vector<float> row(static_cast<std::size_t>(weight.columns));
  weight.read_row(0, row.data());
  weight.read_row(weight.rows - 1, row.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider::model;
  try {
    const Model model = parse_model(std::as_bytes(std::span(data, size)), "fuzzed.gguf");
    for (const Weight* weight :
         {&model.embedding, &model.head, &model.final_norm, &model.positions}) {
      read_ends(*weight);
    }
    for (const LayerWeights& layer : model.layers) {
      for (const Weight* weight :
           {&layer.attn_norm, &layer.q, &layer.k, &layer.v, &layer.o, &layer.ffn_norm, &layer.gate,
            &layer.up, &layer.down, &layer.q_bias, &layer.v_bias, &layer.down_bias}) {
        read_ends(*weight);
      }
    }
    const outrider::text::Tokenizer tokenizer(model.tokenizer);
    tokenizer.decode(tokenizer.encode("a ab\n<|im_end|>", true));
  } catch (const outrider::InputError&) {
  }
  return 0;
}
