#include "runtime/model/identity.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/base/hash.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {
namespace {

void add_normaliser(const std::vector<text::NormalStep>& steps, Hasher& hasher) {
  for (const text::NormalStep& step : steps) {
    if (step.kind == text::NormalStep::Kind::kFormC) {
      hasher.add_text("form c");
    } else {
      hasher.add_text(step.kind == text::NormalStep::Kind::kPrepend ? "prepend" : "replace");
      hasher.add_text(step.from);
      hasher.add_text(step.to);
    }
  }
}

/// Settings of other than byte-level tokenizers. Adds nothing for byte-level ones, whose hashes must not
/// change.
void add_piece_rules(const text::TokenizerSpec& spec, Hasher& hasher) {
  if (spec.model != "gpt2") {
    for (const float score : spec.scores) hasher.add_number(std::bit_cast<std::uint32_t>(score));
    if (spec.metaspace) {
      hasher.add_number(static_cast<unsigned>(spec.metaspace->prefix));
      hasher.add_number(spec.metaspace->split);
    }
    hasher.add_number(spec.byte_fallback);
    hasher.add_number(static_cast<std::uint64_t>(spec.unknown + 1));
    hasher.add_number(spec.fuse_unknown);
    hasher.add_number(spec.dropped_spaces);
  }
  for (const auto& [token, rules] : spec.added_rules) {
    hasher.add_number(static_cast<std::uint64_t>(token));
    for (const bool rule : {rules.lstrip, rules.rstrip, rules.single_word, rules.normalized})
      hasher.add_number(rule);
  }
}

/// Hashes a file in parts, so that little of it is resident.
void add_file(const MappedFile& file, Hasher& hasher) {
  constexpr std::size_t kPart = 16 << 20;
  for (auto rest = file.bytes(); !rest.empty();) {
    const auto part = rest.first(std::min(kPart, rest.size()));
    hasher.add(part);
    file.release_pages();
    rest = rest.subspan(part.size());
  }
}

}  // namespace

std::string model_hash(const Model& model) {
  Hasher hasher;
  for (const auto& file : model.files) {
    if (model.files.size() == 1) {
      add_file(*file, hasher);
    } else {
      Hasher of_file;
      add_file(*file, of_file);
      hasher.add_text(of_file.hex());
    }
  }
  if (model.original_context > 0) hasher.add_text("long rope divisors");
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
  add_normaliser(spec.normaliser, hasher);
  if (spec.ignore_merges) hasher.add_text("ignore merges");
  add_piece_rules(spec, hasher);
  return hasher.hex();
}

}  // namespace outrider::model
