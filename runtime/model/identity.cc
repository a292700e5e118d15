#include "runtime/model/identity.h"

#include "runtime/base/hash.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {

std::string model_hash(const Model& model) {
  std::string hash = hash_hex(model.file->bytes());
  model.release_pages();
  return hash;
}

std::string tokenizer_hash(const text::TokenizerSpec& spec) {
  Hasher hasher;
  hasher.add_text(spec.model);
  hasher.add_text(spec.pre);
  hasher.add_number(spec.tokens.size());
  for (const std::string& token : spec.tokens) hasher.add_text(token);
  for (const text::TokenKind kind : spec.kinds) hasher.add_number(static_cast<unsigned>(kind));
  hasher.add_number(spec.merges.size());
  for (const auto& [left, right] : spec.merges) {
    hasher.add_text(left);
    hasher.add_text(right);
  }
  hasher.add_number(spec.end_tokens.size());
  for (const Token token : spec.end_tokens) hasher.add_number(static_cast<std::uint64_t>(token));
  hasher.add_number(spec.add_bos ? static_cast<std::uint64_t>(spec.bos) + 1 : 0);
  return hasher.hex();
}

}  // namespace outrider::model
