#pragma once

#include <string>

namespace outrider::model {

/// The shape of a decoder-only transformer. Every file format fills this one struct.
struct ModelConfig {
  std::string architecture;  // "llama"
  int layers = 0;
  int width = 0;       // of the residual stream
  int heads = 0;       // query heads
  int kv_heads = 0;    // key and value heads; divides `heads`
  int head_width = 0;  // of one head
  int ffn_width = 0;
  int vocab = 0;
  int context = 0;  // longest sequence the model was made for, in tokens
  float rope_base = 0;
  float norm_epsilon = 0;
};

}  // namespace outrider::model
