#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace outrider::model {

/// Whether a file of a Hugging Face folder is read as a part of the model.
inline bool is_hf_file_name(const std::string& name) {
  constexpr std::string_view kNames[] = {"config.json",         "generation_config.json",
                                         "tokenizer.json",      "tokenizer_config.json",
                                         "added_tokens.json",   "special_tokens_map.json",
                                         "chat_template.jinja", "model.safetensors.index.json"};
  return name.ends_with(".safetensors") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace outrider::model
