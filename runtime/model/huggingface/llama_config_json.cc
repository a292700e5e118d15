#include "runtime/model/huggingface/llama_config_json.h"

#include <nlohmann/json.hpp>

namespace outrider::model {

nlohmann::ordered_json llama_config_json(const ModelConfig& config) {
  return {{"model_type", "llama"},
          {"hidden_act", "silu"},
          {"hidden_size", config.width},
          {"intermediate_size", config.ffn_width},
          {"num_hidden_layers", config.layers},
          {"num_attention_heads", config.heads},
          {"num_key_value_heads", config.kv_heads},
          {"head_dim", config.head_width},
          {"vocab_size", config.vocab},
          {"max_position_embeddings", config.context},
          {"rms_norm_eps", config.norm_epsilon},
          {"rope_theta", config.rope_base},
          {"attention_bias", false},
          {"mlp_bias", false}};
}

}  // namespace outrider::model
