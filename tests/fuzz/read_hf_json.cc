#include "tests/fuzz/read_hf_json.h"

#include <nlohmann/json.hpp>

#include "runtime/model/huggingface/hf_config.h"
#include "runtime/model/huggingface/hf_tokenizer.h"
#include "runtime/model/strict_json.h"

namespace outrider::fuzz {

text::TokenizerSpec read_hf_tokenizer_text(std::string_view json) {
  const nlohmann::json file = model::parse_strict_json(json, "tokenizer.json");
  const nlohmann::json none = nlohmann::json::object();
  return model::read_hf_tokenizer(model::JsonObject(file, "tokenizer.json"),
                                  model::JsonObject(none, "tokenizer_config.json"), 64);
}

model::ModelConfig read_hf_config_text(std::string_view json) {
  const nlohmann::json file = model::parse_strict_json(json, "config.json");
  return model::read_hf_config(model::JsonObject(file, "config.json")).shape;
}

}  // namespace outrider::fuzz
