#include "data/generate/copy_prefix.h"

#include <algorithm>
#include <vector>

namespace outrider::data {
namespace {

template <typename T>
void copy(engine::KvCache& from, engine::KvCache& to, int tokens,
          const model::ModelConfig& config) {
  // Keys lie in groups of sixteen slots; what is behind the last token is written over later.
  const int width = config.head_width;
  const std::ptrdiff_t keys = std::ptrdiff_t{tokens + 15} / 16 * 16 * width;
  const std::ptrdiff_t values = std::ptrdiff_t{tokens} * width;
  for (int layer = 0; layer < config.layers; ++layer) {
    for (int head = 0; head < config.kv_heads; ++head) {
      std::copy_n(from.keys<T>(layer, head), keys, to.keys<T>(layer, head));
      std::copy_n(from.values<T>(layer, head), values, to.values<T>(layer, head));
    }
  }
}

}  // namespace

void copy_prefix(engine::KvCache& from, engine::KvCache& to, int tokens,
                 const model::ModelConfig& config) {
  if (from.type() == engine::KvType::kF32) {
    copy<float>(from, to, tokens, config);
  } else {
    copy<Half>(from, to, tokens, config);
  }
  to.commit_first(tokens - to.length());
}

}  // namespace outrider::data
