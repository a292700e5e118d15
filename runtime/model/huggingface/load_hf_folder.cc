#include "runtime/model/huggingface/load_hf_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/model/assemble_weights.h"
#include "runtime/model/huggingface/hf_config.h"
#include "runtime/model/huggingface/hf_families.h"
#include "runtime/model/huggingface/hf_file_names.h"
#include "runtime/model/huggingface/hf_separate_experts.h"
#include "runtime/model/huggingface/hf_tensor_names.h"
#include "runtime/model/huggingface/hf_tokenizer.h"
#include "runtime/model/huggingface/hf_weights.h"
#include "runtime/model/mapped_file.h"
#include "runtime/model/strict_json.h"

namespace outrider::model {
namespace {

namespace fs = std::filesystem;

/// A text file of the folder, kept open with the model because it is part of its identity.
class FolderText {
 public:
  FolderText(const fs::path& path, Model& model)
      : name_(path.string()), file_(std::make_shared<MappedFile>(path)) {
    model.files.push_back(file_);
  }
  const std::string& name() const { return name_; }
  std::string_view text() const { return file_->text(); }
  nlohmann::json json() const { return parse_strict_json(text(), name_); }

 private:
  std::string name_;
  std::shared_ptr<MappedFile> file_;
};

/// The object of a file that may be absent; then an empty one.
nlohmann::json optional_object(const fs::path& path, Model& model) {
  if (!fs::exists(path)) return nlohmann::json::object();
  const FolderText file(path, model);
  nlohmann::json parsed = file.json();
  const JsonObject checked(parsed, file.name());
  return parsed;
}

/// tokenizer_config.json, with what older folders say in files of their own where it says nothing.
nlohmann::json read_settings(const fs::path& folder, Model& model) {
  constexpr const char* kAdded = "added_tokens_decoder";
  nlohmann::json settings = optional_object(folder / "tokenizer_config.json", model);
  Model
      beside;  // these files are not part of the model's identity: what they say is part of its tokenizer's
  const nlohmann::json named = optional_object(folder / "special_tokens_map.json", beside);
  const nlohmann::json added = optional_object(folder / "added_tokens.json", beside);
  const nlohmann::json config = optional_object(folder / "config.json", beside);
  // transformers goes by the model's type first.
  if (config.value("model_type", nlohmann::json()) == "qwen2")
    settings["tokenizer_class"] = "Qwen2Tokenizer";
  for (const auto& [name, token] : named.items())
    if (settings.value(name, nlohmann::json()).is_null()) settings[name] = token;
  if (!settings.value(kAdded, nlohmann::json()).is_null()) return settings;
  for (const auto& [content, id] : added.items())
    if (id.is_number_integer()) settings[kAdded][id.dump()] = {{"content", content}};
  return settings;
}

/// @throws InputError if there is no tokenizer.json, with the way to make one where there is what it is made from
void check_has_tokenizer(const fs::path& folder) {
  if (fs::exists(folder / "tokenizer.json")) return;
  for (const char* older : {"tokenizer.model", "vocab.json", "spiece.model"}) {
    if (!fs::exists(folder / older)) continue;
    throw InputError(
        fmt::format("{}: has {}, but no tokenizer.json; make one with transformers: "
                    "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)",
                    folder.string(), older));
  }
  throw InputError(
      fmt::format("{}: is a folder without tokenizer.json; expected the model's tokenizer, as its "
                  "publisher has it",
                  folder.string()));
}

text::TokenizerSpec read_tokenizer(const fs::path& folder, std::optional<int> vocab, Model& model) {
  check_has_tokenizer(folder);
  const FolderText file(folder / "tokenizer.json", model);
  const nlohmann::json parsed = file.json();
  const std::string settings_name = (folder / "tokenizer_config.json").string();
  const nlohmann::json settings = read_settings(folder, model);
  auto spec = read_hf_tokenizer(JsonObject(parsed, file.name()),
                                JsonObject(settings, settings_name), vocab);
  if (const fs::path chat = folder / "chat_template.jinja"; fs::exists(chat))
    spec.chat_template = FolderText(chat, model).text();
  return spec;
}

/// Adds the end tokens of generation_config.json.
void add_end_tokens(const fs::path& path, Model& model) {
  if (!fs::exists(path)) return;
  const FolderText file(path, model);
  const nlohmann::json parsed = file.json();
  const JsonObject settings(parsed, file.name());
  std::vector<Token>& ends = model.tokenizer.end_tokens;
  for (const std::int64_t id : settings.integers("eos_token_id", 0, model.config.vocab - 1)) {
    const auto end = static_cast<Token>(id);
    if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
  }
}

/// Buffers that some programs save with the weights; they are computed here.
bool is_computed(const std::string& tensor) { return tensor.ends_with(".rotary_emb.inv_freq"); }

/// Whether a head that the configuration ties to the embedding is that. Some programs save another one, which is then
/// the model's own, as in transformers.
bool is_copy(const Weight& head, const Weight& embedding) {
  return head.type == embedding.type && head.rows == embedding.rows &&
         std::equal(head.bytes.begin(), head.bytes.end(), embedding.bytes.begin(),
                    embedding.bytes.end());
}

/// @throws InputError unless the folder has a config.json, saying what it is instead where that is known
void check_is_model(const fs::path& named, const fs::path& folder) {
  if (fs::exists(folder / "config.json")) return;
  if (fs::exists(folder / "adapter_config.json"))
    throw InputError(
        fmt::format("{}: is an adapter of another model; expected a whole model: merge it with "
                    "transformers and peft (merge_and_unload, save_pretrained)",
                    named.string()));
  throw InputError(fmt::format(
      "{}: is a folder without config.json; expected a GGUF file or a Hugging Face folder",
      named.string()));
}

}  // namespace

text::TokenizerSpec load_hf_tokenizer(const fs::path& folder) {
  Model files;
  // As many tokens as the model has, so that every id it writes can be read.
  const nlohmann::json config = optional_object(folder / "config.json", files);
  const auto vocab = JsonObject(config, (folder / "config.json").string())
                         .integer("vocab_size", 1, limits::kVocab);
  return read_tokenizer(folder, vocab ? std::optional<int>(*vocab) : std::nullopt, files);
}

Model load_hf_folder(const fs::path& path) {
  // Without a slash at the end, so that the last part is the folder's name.
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  check_is_model(path, folder);
  Model model;
  model.path = folder;
  model.name = fs::absolute(folder).lexically_normal().filename().string();
  const FolderText file(folder / "config.json", model);
  const nlohmann::json parsed = file.json();
  const HfConfig config = read_hf_config(JsonObject(parsed, file.name()));
  model.config = config.shape;
  HfWeights weights = open_hf_weights(folder);
  std::move(weights.files.begin(), weights.files.end(), std::back_inserter(model.files));
  std::erase_if(weights.weights, [&](const auto& named) { return is_computed(named.first); });
  if (config.shape.architecture == "gpt_oss") separate_experts(folder.string(), weights, model);
  refuse_parts(weights);
  assemble_weights(std::move(weights.weights), *hf_tensor_names(config.shape.architecture),
                   folder.string(), model);
  complete_norms(model);
  if (config.tied && is_copy(model.head, model.embedding)) {
    model.head = model.embedding;
    model.tied = true;
  }
  if (model.tied && !config.tied)
    throw InputError(fmt::format(
        "{}: tensor 'lm_head.weight' is missing, and {} does not tie it to the embedding",
        folder.string(), file.name()));
  // After the weights, because the embedding bounds the number of tokens.
  model.tokenizer = read_tokenizer(folder, config.shape.vocab, model);
  model.tokenizer.end_tokens = config.end_tokens;
  add_end_tokens(folder / "generation_config.json", model);
  if (model.tokenizer.eos < 0 && !model.tokenizer.end_tokens.empty())
    model.tokenizer.eos = model.tokenizer.end_tokens.front();
  return model;
}

}  // namespace outrider::model
