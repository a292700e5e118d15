#pragma once

#include <string_view>

namespace outrider::model {

/// Keys of a config.json, for any model type, for training or other programs, or redundant: they do not
/// change the computation.
inline constexpr std::string_view kIgnoredKeys[] = {"_attn_implementation_autoset",
                                                    "_name_or_path",
                                                    "add_cross_attention",
                                                    "architectures",
                                                    "attention_dropout",
                                                    "auto_map",
                                                    "bos_token_id",
                                                    "chunk_size_feed_forward",
                                                    "cross_attention_hidden_size",
                                                    "dtype",
                                                    "embd_pdrop",
                                                    "id2label",
                                                    "initializer_range",
                                                    "is_encoder_decoder",
                                                    "is_llama_config",
                                                    "label2id",
                                                    "output_attentions",
                                                    "output_hidden_states",
                                                    "pad_token_id",
                                                    "problem_type",
                                                    "resid_pdrop",
                                                    "return_dict",
                                                    "tie_encoder_decoder",
                                                    "torch_dtype",
                                                    "transformers.js_config",
                                                    "transformers_version",
                                                    "unk_token_id",
                                                    "use_cache"};

}  // namespace outrider::model
