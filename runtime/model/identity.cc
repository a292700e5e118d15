#include "runtime/model/identity.h"

#include "runtime/base/hash.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {

std::string model_hash(const Model& model) {
  Hasher hasher;
  if (model.files.size() == 1) {
    hasher.add(model.files.front()->bytes());
  } else {
    for (const auto& file : model.files) hasher.add_text(hash_hex(file->bytes()));
  }
  model.release_pages();
  return hasher.hex();
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
  if (spec.nfc) hasher.add_text("form c");
  if (spec.ignore_merges) hasher.add_text("ignore merges");
  return hasher.hex();
}

}  // namespace outrider::model
