#include "runtime/model/huggingface/write_hf_folder.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output_file.h"
#include "runtime/base/text_file.h"
#include "runtime/model/exported_tensors.h"
#include "runtime/model/huggingface/export_folder.h"
#include "runtime/model/huggingface/hf_file_names.h"
#include "runtime/model/huggingface/hf_tensor_names.h"
#include "runtime/model/huggingface/llama_config_json.h"
#include "runtime/model/safetensors_writer.h"

namespace outrider::model {
namespace {

constexpr std::size_t kMostTokenizerBytes = std::size_t{1} << 30;

std::string config_text(const Model& model) {
  nlohmann::ordered_json config = {
      {"architectures",
       {model.config.embedding_scale == 1 ? "LlamaForCausalLM" : "GraniteForCausalLM"}}};
  config.update(llama_config_json(model.config));
  config["tie_word_embeddings"] = model.tied;
  config["torch_dtype"] = "float32";
  config["eos_token_id"] = model.tokenizer.end_tokens;
  if (model.tokenizer.bos >= 0) config["bos_token_id"] = model.tokenizer.bos;
  return json_text(config, 2) + "\n";
}

void write_weights(const Model& model, OutputFile& out) {
  const auto tensors = exported_tensors(model, *hf_tensor_names("llama"));
  std::vector<SafetensorsWriter::Tensor> described;
  for (const ExportedTensor& tensor : tensors) {
    const Weight& weight = *tensor.weight;
    hdf5::Dims dims = {static_cast<std::uint64_t>(weight.columns)};
    if (weight.rows > 1) dims.insert(dims.begin(), static_cast<std::uint64_t>(weight.rows));
    described.push_back({tensor.name, hdf5::NumberType::kFloat32, std::move(dims)});
  }
  SafetensorsWriter file(out, std::move(described), export_metadata());
  for (const ExportedTensor& tensor : tensors) {
    std::vector<float> row(static_cast<std::size_t>(tensor.weight->columns));
    for (std::int64_t r = 0; r < tensor.weight->rows; ++r) {
      tensor.weight->read_row(r, row.data());
      file.append<float>(tensor.name, row);
    }
  }
  file.commit();
}

/// The names of the files of a folder that say how text becomes tokens; none for a GGUF file.
std::vector<std::string> tokenizer_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (!std::filesystem::is_directory(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool of_weights = name == "config.json" || name.find("safetensors") != std::string::npos;
    if (is_hf_file_name(name) && !of_weights) names.push_back(name);
  }
  return names;
}

}  // namespace

void write_hf_folder(const Model& model, const Model& target, const std::filesystem::path& folder) {
  if (!model.config.rope_divisors.empty() || model.config.rope_scale != 1)
    throw InputError(
        "--to safetensors: expected plain rotary positions, found divisors or a factor; use --to "
        "gguf");
  make_export_folder(folder);
  // All are made, which checks them, before the first is written.
  const auto output = [&](const std::string& name) {
    return OutputFile("--out", (folder / name).string());
  };
  const std::vector<std::string> of_tokenizer = tokenizer_files(target.path);
  for (const std::string& name : of_tokenizer) (void)output(name);
  OutputFile weights = output(kWeightsFile), config = output("config.json");
  write_weights(model, weights);
  for (const std::string& name : of_tokenizer)
    output(name).write_all(read_text_file(target.path / name, kMostTokenizerBytes));
  // Last: without it the folder is no model.
  config.write_all(config_text(model));
}

}  // namespace outrider::model
