#include "train/parallelspec/group_drafter.h"

#include <utility>

#include "train/draft/draft_layer.h"

namespace outrider::train {

GroupDrafter::GroupDrafter(const model::Model& target, const ParallelSpecShape& shape,
                           std::vector<Token> head_tokens, const at::TensorOptions& tensors)
    : shape_(shape),
      head_tokens_(std::move(head_tokens)),
      head_rows_(head_tokens_, target.config.vocab),
      head_(load_head(target, head_tokens_, tensors)) {}

}  // namespace outrider::train
