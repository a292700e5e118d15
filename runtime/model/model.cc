#include "runtime/model/model.h"

#include <numeric>
#include <utility>

#include "runtime/model/gguf/gguf_file.h"
#include "runtime/model/gguf/load_gguf.h"
#include "runtime/model/gguf/open_gguf.h"
#include "runtime/model/huggingface/load_hf_folder.h"
#include "runtime/model/mapped_file.h"
#include "runtime/model/own_sampling.h"

namespace outrider::model {

void Model::embed(Token token, float* state) const {
  embedding.read_row(token, state);
  if (config.embedding_scale == 1) return;
  for (int i = 0; i < config.width; ++i) state[i] *= config.embedding_scale;
}

std::vector<Token> Model::tokens_of_head() const {
  if (!head_tokens.empty()) return head_tokens;
  std::vector<Token> all(static_cast<std::size_t>(head.rows));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::span<const std::byte> Model::keep(std::vector<std::byte> bytes) {
  buffers.push_back(std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
  return *buffers.back();
}

std::size_t Model::kept_bytes() const {
  std::size_t bytes = 0;
  for (const auto& buffer : buffers) bytes += buffer->size();
  return bytes;
}

void Model::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

void Model::release_pages() const {
  for (const auto& file : files) file->release_pages();
}

Model parse_model(std::span<const std::byte> bytes, const std::string& name) {
  return load_gguf(GgufFile::parse(bytes, name));
}

Model load_model(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return load_hf_folder(path);
  OpenedGguf opened = open_gguf(path);
  Model model = load_gguf(opened.file);
  model.path = path;
  model.files = std::move(opened.parts);
  return model;
}

text::TokenizerSpec load_tokenizer(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return load_hf_tokenizer(path);
  return read_gguf_tokenizer(open_gguf(path).file);
}

std::optional<OwnSampling> own_sampling(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return hf_own_sampling(path);
  return gguf_own_sampling(open_gguf(path).file);
}

}  // namespace outrider::model
