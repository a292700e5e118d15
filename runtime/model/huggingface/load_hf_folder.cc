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
#include "runtime/base/opened_files.h"
#include "runtime/model/assemble_weights.h"
#include "runtime/model/huggingface/hf_config.h"
#include "runtime/model/huggingface/hf_file_names.h"
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

text::TokenizerSpec read_tokenizer(const fs::path& folder, std::optional<int> vocab, Model& model) {
  const FolderText file(folder / "tokenizer.json", model);
  const nlohmann::json parsed = file.json();
  nlohmann::json settings = nlohmann::json::object();
  std::string settings_name = "tokenizer_config.json";
  if (fs::exists(folder / settings_name)) {
    const FolderText text(folder / settings_name, model);
    settings_name = text.name();
    settings = text.json();
  }
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

}  // namespace

text::TokenizerSpec load_hf_tokenizer(const fs::path& folder) {
  note_input_folder(folder, is_hf_file_name);
  Model files;
  return read_tokenizer(folder, std::nullopt, files);
}

Model load_hf_folder(const fs::path& path) {
  // Without a slash at the end, so that the last part is the folder's name.
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  if (!fs::exists(folder / "config.json"))
    throw InputError(
        fmt::format("{}: is a folder without config.json; expected a GGUF file or a "
                    "Hugging Face folder",
                    path.string()));
  Model model;
  model.path = folder;
  model.name = fs::absolute(folder).lexically_normal().filename().string();
  const FolderText file(folder / "config.json", model);
  const nlohmann::json parsed = file.json();
  const HfConfig config = read_hf_config(JsonObject(parsed, file.name()));
  model.config = config.shape;
  HfWeights weights = open_hf_weights(folder);
  std::move(weights.files.begin(), weights.files.end(), std::back_inserter(model.files));
  std::erase_if(weights.weights, [&](const auto& named) {
    return is_computed(named.first) || (config.tied && named.first == "lm_head.weight");
  });
  assemble_weights(std::move(weights.weights), *hf_tensor_names(config.shape.architecture),
                   folder.string(), model);
  if (model.tied && !config.tied)
    throw InputError(
        fmt::format("{}: tensor 'lm_head.weight' is missing, and {} does not tie it to "
                    "the embedding",
                    folder.string(), file.name()));
  // After the weights, because the embedding bounds the number of tokens.
  model.tokenizer = read_tokenizer(folder, config.shape.vocab, model);
  model.tokenizer.end_tokens = config.end_tokens;
  if (model.tokenizer.eos < 0 && !config.end_tokens.empty())
    model.tokenizer.eos = config.end_tokens.front();
  add_end_tokens(folder / "generation_config.json", model);
  return model;
}

}  // namespace outrider::model
