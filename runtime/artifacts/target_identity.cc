#include "runtime/artifacts/target_identity.h"

#include <fmt/core.h>

#include "runtime/model/identity.h"

namespace outrider::artifacts {
namespace {

constexpr int kFormat = 1;  // of the whole file
constexpr std::size_t kMaxIdentity = 4096;

int read_count(const hdf5::Reader& file, const std::string& path) {
  const int value = file.read_number<std::int32_t>(path);
  if (value < 1) file.refuse(path, fmt::format("expected a number above 0, found {}", value));
  return value;
}

}  // namespace

TargetIdentity identity_of(const model::Model& model) {
  return {model.path.filename().string(),
          model::model_hash(model),
          model::tokenizer_hash(model.tokenizer),
          model.config.vocab,
          model.config.width,
          model.config.layers};
}

void write_target(const TargetIdentity& target, hdf5::Writer& file) {
  file.add_number<std::int32_t>("/target/format", kFormat);
  file.add_text("/target/name", target.name);
  file.add_text("/target/model_hash", target.model_hash);
  file.add_text("/target/tokenizer_hash", target.tokenizer_hash);
  file.add_number<std::int32_t>("/target/vocab", target.vocab);
  file.add_number<std::int32_t>("/target/width", target.width);
  file.add_number<std::int32_t>("/target/layers", target.layers);
}

TargetIdentity read_target(const hdf5::Reader& file) {
  if (!file.has("/target/format")) file.refuse("/target", "missing: not an artifact file");
  const int format = read_count(file, "/target/format");
  if (format != kFormat) {
    file.refuse(
        "/target/format",
        fmt::format("expected {}, found {}; this program is too old or too new", kFormat, format));
  }
  return {file.read_text("/target/name", kMaxIdentity),
          file.read_text("/target/model_hash", kMaxIdentity),
          file.read_text("/target/tokenizer_hash", kMaxIdentity),
          read_count(file, "/target/vocab"),
          read_count(file, "/target/width"),
          read_count(file, "/target/layers")};
}

std::string difference(const TargetIdentity& made_for, const TargetIdentity& model) {
  const bool same_tokenizer = made_for.tokenizer_hash == model.tokenizer_hash;
  if (made_for.model_hash != model.model_hash) {
    return fmt::format("was made for the model {} ({}), not for {} ({}); their tokenizers are {}",
                       made_for.name, made_for.model_hash, model.name, model.model_hash,
                       same_tokenizer ? "the same" : "different too");
  }
  if (!same_tokenizer) {
    return fmt::format("was made for the tokenizer {}, not for {} of {}", made_for.tokenizer_hash,
                       model.tokenizer_hash, model.name);
  }
  if (made_for.vocab == model.vocab && made_for.width == model.width &&
      made_for.layers == model.layers) {
    return "";
  }
  return fmt::format(
      "records that {} has {} tokens, width {} and {} layers, but it has {}, {} and {}",
      made_for.name, made_for.vocab, made_for.width, made_for.layers, model.vocab, model.width,
      model.layers);
}

}  // namespace outrider::artifacts
