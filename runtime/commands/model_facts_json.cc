#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"
#include "runtime/commands/model_facts.h"
#include "runtime/tokenizer/end_tokens.h"

namespace outrider {
namespace {

using Json = nlohmann::ordered_json;

Json json_of_config(const model::ModelConfig& config, bool tied) {
  return {{"architecture", config.architecture},
          {"layers", config.layers},
          {"width", config.width},
          {"heads", config.heads},
          {"kv_heads", config.kv_heads},
          {"head_width", config.head_width},
          {"ffn_width", config.ffn_width},
          {"vocab", config.vocab},
          {"context", config.context},
          {"windows", config.windows},
          {"positions", model::name_of(config.positions)},
          {"rope_base", config.rope_base},
          {"rotary_width", config.rotary_width},
          {"norm_epsilon", config.norm_epsilon},
          {"tied", tied}};
}

Json json_of_tokenizer(const text::TokenizerSpec& spec) {
  Json ends = Json::array();
  for (const Token token : text::end_tokens(spec)) {
    ends.push_back({{"id", token}, {"token", spec.tokens[static_cast<std::size_t>(token)]}});
  }
  return {{"model", spec.model},
          {"pre", spec.pre},
          {"tokens", spec.tokens.size()},
          {"merges", spec.merges.size()},
          {"bos", spec.bos},
          {"add_bos", spec.add_bos},
          {"end_tokens", ends},
          {"chat_template", spec.chat_template}};
}

}  // namespace

std::string json_of(const ModelFacts& facts) {
  Json json = {{"file", facts.path.string()},
               {"format", facts.gguf_version ? "gguf" : "hugging face"},
               {"bytes", facts.file_bytes}};
  if (facts.gguf_version) json["format_version"] = *facts.gguf_version;
  Json& general = json["general"] = Json::object();
  for (const auto& [key, value] : facts.general) general[key] = value;
  json["parameters"] = facts.parameters;
  Json& types = json["types"] = Json::array();
  for (const ModelFacts::TypeUse& use : facts.types) {
    types.push_back({{"type", use.type},
                     {"tensors", use.tensors},
                     {"numbers", use.numbers},
                     {"bytes", use.bytes}});
  }
  if (facts.description) {
    json["config"] = json_of_config(facts.description->config, facts.description->tied);
    json["tokenizer"] = json_of_tokenizer(facts.description->tokenizer);
    json["chat_format"] = facts.description->chat_format;
  }
  json["refusal"] = facts.refusal;
  Json& tensors = json["tensors"] = Json::array();
  for (const ModelFacts::Tensor& tensor : facts.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"type", tensor.type},
                       {"shape", tensor.shape},
                       {"bytes", tensor.bytes}});
  }
  // A path or a text of the file may be invalid UTF-8.
  return json_text(json, 1) + "\n";
}

}  // namespace outrider
