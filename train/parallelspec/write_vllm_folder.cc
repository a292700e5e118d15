#include "train/parallelspec/write_vllm_folder.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/bfloat16.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output_file.h"
#include "runtime/model/huggingface/export_folder.h"
#include "runtime/model/huggingface/llama_config_json.h"
#include "runtime/model/safetensors_writer.h"

namespace outrider::train {
namespace {

using Json = nlohmann::ordered_json;

/// transformers' class of a target.
Json classes_of(const std::string& architecture) {
  constexpr std::pair<const char*, const char*> kClasses[] = {{"llama", "LlamaForCausalLM"},
                                                              {"mistral", "MistralForCausalLM"},
                                                              {"phi3", "Phi3ForCausalLM"},
                                                              {"qwen2", "Qwen2ForCausalLM"},
                                                              {"qwen3", "Qwen3ForCausalLM"}};
  Json names = Json::array();
  for (const auto& [name, of] : kClasses)
    if (architecture == name) names.push_back(of);
  return names;
}

Json layer_config(model::ModelConfig config) {
  config.layers = 1;
  Json layer = model::llama_config_json(config);
  layer["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", config.rope_base}};
  return layer;
}

/// Every key is written: where one is missing, vLLM's defaults are not those of its speculators.
Json config_of(const ExportDrafter& drafter, const model::Model& target) {
  const ExportShape& exported = drafter.shape().exported.value();
  const Json greedy = {{"proposal_type", "greedy"},
                       {"speculative_tokens", drafter.shape().slots()},
                       {"verifier_accept_k", 1},
                       {"accept_tolerance", 0.0}};
  const Json verifier = {{"name_or_path", std::filesystem::absolute(target.path).string()},
                         {"architectures", classes_of(target.config.architecture)}};
  return {{"architectures", {"PEagleSpeculator"}},
          {"speculators_model_type", "peagle"},
          {"speculators_version", "0.7.0"},
          {"speculators_config",
           {{"algorithm", "peagle"},
            {"proposal_methods", Json::array({greedy})},
            {"default_proposal_method", "greedy"},
            {"verifier", verifier}}},
          {"transformer_layer_config", layer_config(drafter.config())},
          {"draft_vocab_size", drafter.head_tokens().size()},
          {"mask_token_id", exported.mask_token},
          {"eagle_aux_hidden_state_layer_ids", exported.layers},
          {"norm_before_residual", false},
          {"norm_before_fc", false},
          {"fc_norm", false},
          {"norm_output", false},
          {"target_hidden_size", nullptr},
          {"embed_requires_grad", false},
          {"tie_word_embeddings", false},
          {"torch_dtype", "bfloat16"}};
}

/// By their names in the file.
std::vector<std::pair<std::string, at::Tensor>> weights_of(const ExportDrafter& drafter) {
  const DraftLayer& layer = drafter.layer();
  const auto kv = layer.kv.chunk(2), gate_up = layer.gate_up.chunk(2);
  return {{"fc.weight", drafter.fc()},
          {"layers.0.input_layernorm.weight", drafter.embedding_norm()},
          {"layers.0.hidden_norm.weight", layer.attn_norm},
          {"layers.0.self_attn.q_proj.weight", layer.q},
          {"layers.0.self_attn.k_proj.weight", kv[0]},
          {"layers.0.self_attn.v_proj.weight", kv[1]},
          {"layers.0.self_attn.o_proj.weight", layer.o},
          {"layers.0.post_attention_layernorm.weight", layer.ffn_norm},
          {"layers.0.mlp.gate_proj.weight", gate_up[0]},
          {"layers.0.mlp.up_proj.weight", gate_up[1]},
          {"layers.0.mlp.down_proj.weight", layer.down},
          {"norm.weight", drafter.final_norm()},
          {"lm_head.weight", drafter.head()},
          {"mask_hidden", drafter.mask_hidden().unsqueeze(0)}};
}

/// How far the token of each row of the head is from the row; and of each token, whether it has one.
struct HeadMap {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint8_t> has_row;

  HeadMap(const std::vector<Token>& tokens, int vocab) : has_row(static_cast<std::size_t>(vocab)) {
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      offsets.push_back(tokens[row] - static_cast<std::int64_t>(row));
      has_row[static_cast<std::size_t>(tokens[row])] = 1;
    }
  }
  /// Whether the head is the target's whole one, which vLLM needs no map of.
  bool is_whole() const { return offsets.size() == has_row.size(); }
};

void write_weights(const ExportDrafter& drafter, OutputFile& out) {
  using hdf5::NumberType;
  const auto weights = weights_of(drafter);
  const HeadMap map(drafter.head_tokens(), drafter.config().vocab);
  std::vector<model::SafetensorsWriter::Tensor> described;
  for (const auto& [name, tensor] : weights)
    described.push_back(
        {name, NumberType::kBfloat16, {tensor.sizes().begin(), tensor.sizes().end()}});
  if (!map.is_whole()) {
    described.push_back({"d2t", NumberType::kInt64, {map.offsets.size()}});
    described.push_back({"t2d", NumberType::kUint8, {map.has_row.size()}, /*is_bool=*/true});
  }
  model::SafetensorsWriter file(out, std::move(described), model::export_metadata());
  for (const auto& [name, tensor] : weights) {
    const at::Tensor rounded = tensor.detach().to(at::kCPU, at::kBFloat16).contiguous();
    file.append<Bfloat16>(name, {static_cast<const Bfloat16*>(rounded.const_data_ptr()),
                                 static_cast<std::size_t>(rounded.numel())});
  }
  if (!map.is_whole()) {
    file.append<std::int64_t>("d2t", map.offsets);
    file.append<std::uint8_t>("t2d", map.has_row);
  }
  file.commit();
}

}  // namespace

void write_vllm_folder(const ExportDrafter& drafter, const model::Model& target,
                       const std::filesystem::path& folder) {
  model::make_export_folder(folder);
  OutputFile weights("--out", (folder / model::kWeightsFile).string());
  OutputFile config("--out", (folder / "config.json").string());
  write_weights(drafter, weights);
  // Last: without it the folder is no drafter.
  config.write_all(json_text(config_of(drafter, target), 2) + "\n");
}

}  // namespace outrider::train
