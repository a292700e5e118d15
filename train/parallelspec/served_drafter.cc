#include "train/parallelspec/served_drafter.h"

#include "train/draft/draft_layer.h"

namespace outrider::train {

draft::ParallelSpecModel ServedDrafter::untrained_model(const model::Model& target,
                                                        const model::ModelConfig& config) const {
  draft::ParallelSpecModel served;
  served.flavour = shape().flavour;
  served.token_inputs = shape().reads_tokens();
  model::Model& layer = served.layer;
  layer.path = target.path;
  layer.name = target.name + " " + draft::method_of(shape().flavour);
  layer.config = config;
  layer.embedding = target.embedding;
  layer.files = target.files;
  layer.buffers = target.buffers;
  layer.tokenizer = target.tokenizer;
  layer.head_tokens = head_tokens();
  layer.head = kept_weight("head", head(), layer);
  return served;
}

}  // namespace outrider::train
