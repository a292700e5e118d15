#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/config.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider {

/// The contents of a model file, for reports.
struct ModelFacts {
  struct Tensor {
    std::string name;
    std::string type;
    std::vector<std::int64_t> shape;  // outermost first
    std::uint64_t bytes;
  };
  struct TypeUse {
    std::string type;
    int tensors = 0;
    std::int64_t numbers = 0;
    std::uint64_t bytes = 0;
  };

  std::filesystem::path path;
  std::uint64_t file_bytes = 0;
  std::optional<std::uint32_t> gguf_version;                 // nothing: a Hugging Face folder
  std::vector<std::pair<std::string, std::string>> general;  // `general.*` keys that are text
  std::int64_t parameters = 0;
  std::vector<TypeUse> types;  // in order of their first tensor
  std::vector<Tensor> tensors;

  struct Description {
    model::ModelConfig config;
    bool tied = false;
    text::TokenizerSpec tokenizer;
    std::string chat_format;   // name for `--chat`: auto or raw; empty: see the next
    std::string chat_refusal;  // why the model's template cannot be used
  };
  std::optional<Description> description;  // nothing if a part of the model is not supported
  std::string refusal;                     // why the model cannot be decoded; empty: it can
};

/// @param path  a GGUF file or a Hugging Face folder
/// @throws InputError when the file is truncated or malformed, or the folder's tensors cannot be
///         read; a well-formed model that is not supported has facts and a `refusal`
ModelFacts read_model_facts(const std::filesystem::path& path);

/// One JSON object, with a line feed.
std::string json_of(const ModelFacts& facts);

}  // namespace outrider
