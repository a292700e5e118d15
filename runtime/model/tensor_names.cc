#include "runtime/model/tensor_names.h"

namespace outrider::model {

std::int64_t extent_of(Extent extent, const ModelConfig& config) {
  switch (extent) {
    case Extent::kOne:
      return 1;
    case Extent::kWidth:
      return config.width;
    case Extent::kHeads:
      return config.heads;
    case Extent::kQueries:
      return std::int64_t{config.heads} * config.head_width;
    case Extent::kKeys:
      return std::int64_t{config.kv_heads} * config.head_width;
    case Extent::kHeadWidth:
      return config.head_width;
    case Extent::kFfnWidth:
      return config.ffn_width;
    case Extent::kExpertCount:
      return config.experts;
    case Extent::kVocab:
      return config.vocab;
    case Extent::kPositions:
      return std::int64_t{config.first_position} + config.context;
  }
  return 0;
}

}  // namespace outrider::model
