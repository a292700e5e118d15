#include "runtime/model/huggingface/llama_config_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/model/exported_tensors.h"

namespace outrider::model {

nlohmann::ordered_json llama_config_json(const ModelConfig& config) {
  nlohmann::ordered_json json = {{"model_type", exported_architecture(config)},
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
  if (config.embedding_scale == 1) return json;
  json["embedding_multiplier"] = config.embedding_scale;
  json["residual_multiplier"] = 1;
  json["logits_scaling"] = 1;
  json["attention_multiplier"] = 1.0f / std::sqrt(static_cast<float>(config.head_width));
  return json;
}

}  // namespace outrider::model
