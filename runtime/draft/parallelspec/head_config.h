#pragma once

#include "runtime/model/config.h"

namespace outrider::draft {

/// The shape of a model that is a head alone, without layers or a norm: the logits of a row are the products of
/// the head's rows and the state [width] that the row is given as.
/// @param vocab  tokens with an embedding; 0: rows are states only
inline model::ModelConfig head_config(int width, int vocab) {
  model::ModelConfig config;
  config.architecture = "llama";
  config.width = width;
  config.vocab = vocab;
  // Attention that no layer has needs a shape: engines take no heads of width 0.
  config.heads = config.kv_heads = 1;
  config.head_width = config.rotary_width = config.ffn_width = 32;
  config.rope_base = 10000;
  return config;
}

}  // namespace outrider::draft
