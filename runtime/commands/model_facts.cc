#include "runtime/commands/model_facts.h"

#include <algorithm>
#include <functional>

#include "runtime/base/error.h"
#include "runtime/chat/chat.h"
#include "runtime/model/gguf/gguf_file.h"
#include "runtime/model/gguf/load_gguf.h"
#include "runtime/model/gguf/open_gguf.h"
#include "runtime/model/huggingface/hf_weights.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider {
namespace {

constexpr std::string_view kPrefix = "general.";

void add_general(const model::GgufFile& file, ModelFacts& facts) {
  for (const auto& [key, value] : file.metadata()) {
    const auto* text = std::get_if<std::string_view>(&value);
    if (text == nullptr || !key.starts_with(kPrefix)) continue;
    facts.general.emplace_back(key.substr(kPrefix.size()), *text);
  }
}

void add_tensor(ModelFacts::Tensor fact, ModelFacts& facts) {
  std::int64_t numbers = 1;
  for (const std::int64_t size : fact.shape) numbers *= size;
  facts.parameters += numbers;

  auto use =
      std::find_if(facts.types.begin(), facts.types.end(),
                   [&](const ModelFacts::TypeUse& known) { return known.type == fact.type; });
  if (use == facts.types.end()) {
    facts.types.push_back({.type = fact.type});
    use = facts.types.end() - 1;
  }
  ++use->tensors;
  use->numbers += numbers;
  use->bytes += fact.bytes;
  facts.tensors.push_back(std::move(fact));
}

ModelFacts::Tensor fact_of(const model::GgufTensor& tensor) {
  ModelFacts::Tensor fact{
      std::string(tensor.name), model::type_name(tensor.type), {}, tensor.bytes.size()};
  for (int i = tensor.dimensions - 1; i >= 0; --i)
    fact.shape.push_back(tensor.shape[static_cast<std::size_t>(i)]);
  return fact;
}

ModelFacts::Tensor fact_of(const model::Weight& weight) {
  ModelFacts::Tensor fact{
      weight.name, model::type_name(weight.type), {weight.columns}, weight.bytes.size()};
  if (weight.rows > 1) fact.shape.insert(fact.shape.begin(), weight.rows);
  return fact;
}

/// Bytes in blocks are codes of four bits, two a byte.
ModelFacts::Tensor fact_of(const model::SafeTensor& part) {
  ModelFacts::Tensor fact{part.name, part.type ? model::type_name(*part.type) : "MXFP4", part.shape,
                          part.bytes.size()};
  if (!part.type && !part.shape.empty()) fact.shape.back() *= 2;
  return fact;
}

/// The shape and tokenizer of the model, or the reason why it cannot be decoded.
void describe(const std::function<model::Model()>& load, ModelFacts& facts) {
  try {
    model::Model loaded = load();
    facts.description = {loaded.config, loaded.tied, std::move(loaded.tokenizer), {}, {}};
    try {
      facts.description->chat_format =
          text::ChatFormat::choose({}, facts.description->tokenizer).name();
    } catch (const InputError& error) {
      facts.description->chat_refusal = error.what();
    }
    text::Tokenizer{facts.description->tokenizer};
  } catch (const InputError& error) {
    facts.refusal = error.what();
  }
}

ModelFacts read_folder_facts(const std::filesystem::path& path) {
  ModelFacts facts;
  facts.path = path;
  const model::HfWeights folder = model::open_hf_weights(path);
  for (const auto& file : folder.files) facts.file_bytes += file->bytes().size();
  for (const auto& [name, weight] : folder.weights) add_tensor(fact_of(weight), facts);
  for (const auto& [name, part] : folder.parts) add_tensor(fact_of(part.tensor), facts);
  describe([&] { return model::load_model(path); }, facts);
  return facts;
}

}  // namespace

ModelFacts read_model_facts(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return read_folder_facts(path);
  const model::OpenedGguf opened = model::open_gguf(path);
  const model::GgufFile& file = opened.file;
  ModelFacts facts;
  facts.path = path;
  for (const auto& part : opened.parts) facts.file_bytes += part->bytes().size();
  facts.gguf_version = file.version();
  add_general(file, facts);
  for (const model::GgufTensor& tensor : file.tensors()) add_tensor(fact_of(tensor), facts);
  describe([&] { return model::load_gguf(file); }, facts);
  return facts;
}

}  // namespace outrider
