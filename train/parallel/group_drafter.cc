#include "train/parallel/group_drafter.h"

#include <utility>

#include "train/draft/draft_layer.h"

namespace outrider::train {

GroupDrafter::GroupDrafter(const model::Model& target, const ParallelShape& shape,
                           std::vector<Token> head_tokens, at::ScalarType dtype)
    : shape_(shape),
      head_tokens_(std::move(head_tokens)),
      head_rows_(head_tokens_, target.config.vocab),
      head_(load_head(target, head_tokens_, dtype)) {}

draft::ParallelModel GroupDrafter::untrained_model(const model::Model& target,
                                                   const model::ModelConfig& config) const {
  draft::ParallelModel served;
  served.flavour = shape_.flavour;
  served.token_inputs = shape_.reads_tokens();
  model::Model& layer = served.layer;
  layer.path = target.path;
  layer.name = target.name + " " + draft::method_of(shape_.flavour);
  layer.config = config;
  layer.embedding = target.embedding;
  layer.files = target.files;
  layer.buffers = target.buffers;
  layer.tokenizer = target.tokenizer;
  layer.head_tokens = head_tokens_;
  layer.head = kept_weight("head", head_, layer);
  return served;
}

}  // namespace outrider::train
