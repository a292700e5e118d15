#include "runtime/model/huggingface/hf_weights.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/model/huggingface/hf_file_names.h"
#include "runtime/model/json_object.h"
#include "runtime/model/safetensors_file.h"
#include "runtime/model/strict_json.h"

namespace outrider::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

bool is_matrix(const SafeTensor& tensor) {
  return tensor.type && (tensor.shape.size() == 1 || tensor.shape.size() == 2);
}

Weight as_matrix(const SafeTensor& tensor) {
  Weight weight;
  weight.name = tensor.name;
  weight.type = *tensor.type;
  weight.rows = tensor.shape.size() == 2 ? tensor.shape[0] : 1;
  weight.columns = tensor.shape.back();
  weight.bytes = tensor.bytes;
  return weight;
}

/// The tensors of each file, by the index.
using Contents = std::map<std::string, std::set<std::string>>;

Contents read_index(const fs::path& path) {
  const std::string name = path.string();
  const MappedFile file(path);
  const nlohmann::json parsed = parse_strict_json(file.text(), name);
  const JsonObject index(parsed, name);
  static constexpr std::string_view kKeys[] = {"metadata", "weight_map"};
  index.refuse_others(kKeys);
  const JsonObject map(index.required("weight_map"), name + ": weight_map");
  Contents contents;
  for (const auto& [tensor, value] : index.required("weight_map").items()) {
    const std::string shard = map.required_text(tensor);
    if (shard.empty() || shard.find_first_of("/\\") != std::string::npos || shard.front() == '.')
      map.fail(tensor, fmt::format("'{}'", shard), "the name of a file in the same folder");
    contents[shard].insert(tensor);
  }
  return contents;
}

void add_file(const fs::path& path, const std::set<std::string>* expected, HfWeights& all) {
  const std::string name = path.string();
  auto file = std::make_shared<MappedFile>(path);
  std::size_t found = 0;
  for (const SafeTensor& tensor : parse_safetensors(file->bytes(), name)) {
    if (expected != nullptr && expected->count(tensor.name) == 0)
      throw InputError(fmt::format("{}: has tensor '{}', which {} does not list for it", name,
                                   tensor.name, kIndex));
    ++found;
    if (is_matrix(tensor)) {
      all.weights.emplace(tensor.name, as_matrix(tensor));
    } else {
      all.parts.emplace(tensor.name, HfPart{tensor, name});
    }
  }
  if (expected != nullptr && found != expected->size()) {
    for (const std::string& tensor : *expected)
      if (!all.weights.contains(tensor) && !all.parts.contains(tensor))
        throw InputError(
            fmt::format("{}: tensor '{}' is missing, which {} lists for it", name, tensor, kIndex));
  }
  all.files.push_back(std::move(file));
}

}  // namespace

HfWeights open_hf_weights(const fs::path& folder) {
  HfWeights all;
  const bool single = fs::exists(folder / kSingle);
  if (!single && fs::exists(folder / "pytorch_model.bin"))
    throw InputError(fmt::format(
        "{}: has its weights as pytorch_model.bin; expected {}: save it again with transformers "
        "(AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(FOLDER))",
        folder.string(), kSingle));
  if (!single && !fs::exists(folder / kIndex))
    throw InputError(fmt::format("{}: has neither {} nor {}", folder.string(), kSingle, kIndex));
  if (single) {
    add_file(folder / kSingle, nullptr, all);
  } else {
    for (const auto& [shard, tensors] : read_index(folder / kIndex))
      add_file(folder / shard, &tensors, all);
  }
  return all;
}

void refuse_parts(const HfWeights& weights) {
  if (weights.parts.empty()) return;
  const auto& [name, part] = *weights.parts.begin();
  if (!part.tensor.type)
    throw InputError(
        fmt::format("{}: tensor '{}' holds bytes (expected F32, F16 or BF16)", part.file, name));
  throw InputError(fmt::format("{}: tensor '{}' has {} dimensions (expected 1 or 2)", part.file,
                               name, part.tensor.shape.size()));
}

}  // namespace outrider::model
