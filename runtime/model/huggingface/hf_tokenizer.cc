#include "runtime/model/huggingface/hf_tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/model/config.h"
#include "runtime/model/huggingface/hf_added_tokens.h"
#include "runtime/model/huggingface/hf_text_steps.h"
#include "runtime/tokenizer/byte_token.h"

namespace outrider::model {
namespace {

using nlohmann::json;

/// Refuses unsupported parts, and unsupported values of others.
void refuse_extras(const JsonObject& file, const JsonObject& model) {
  static constexpr std::string_view kKeys[] = {"version",        "truncation", "padding",
                                               "added_tokens",   "normalizer", "pre_tokenizer",
                                               "post_processor", "decoder",    "model"};
  file.refuse_others(kKeys);
  // Truncation and padding are for training batches, and ignored.
  static constexpr std::string_view kModelKeys[] = {"type",
                                                    "dropout",
                                                    "unk_token",
                                                    "continuing_subword_prefix",
                                                    "end_of_word_suffix",
                                                    "fuse_unk",
                                                    "vocab",
                                                    "merges",
                                                    "byte_fallback",
                                                    "ignore_merges"};
  model.refuse_others(kModelKeys);
  if (const std::string type = model.text("type").value_or("BPE"); type != "BPE")
    model.fail("type", fmt::format("'{}'", type), "'BPE'");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model.text(key).value_or("").empty()) model.fail(key, "given", "none");
}

/// @param byte_tokens  whether tokens stored as <0x0A> are bytes
void read_vocabulary(const JsonObject& model, bool byte_tokens, text::TokenizerSpec& spec) {
  const JsonObject vocabulary(model.required("vocab"), model.where() + ": vocab");
  const auto last = static_cast<std::int64_t>(spec.tokens.size()) - 1;
  for (const auto& [token, value] : model.required("vocab").items())
    set_token(vocabulary, token, vocabulary.required_integer(token, 0, last),
              byte_tokens && text::byte_of_token(token) ? text::TokenKind::kByte
                                                        : text::TokenKind::kNormal,
              spec);
}

/// Merges as pairs, or as strings with one space between the parts.
void read_merges(const JsonObject& model, text::TokenizerSpec& spec) {
  const json& list = model.required("merges");
  if (!list.is_array()) model.fail("merges", "not a list", "a list");
  for (const json& merge : list) {
    const auto fail = [&] {
      model.fail("merges", fmt::format("not a pair of strings at index {}", spec.merges.size()),
                 "two parts each");
    };
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      spec.merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
    } else if (merge.is_string()) {
      const auto& line = merge.get_ref<const std::string&>();
      const std::size_t space = line.find(' ', 1);
      if (space == std::string::npos || space + 1 == line.size()) fail();
      spec.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    } else {
      fail();
    }
  }
}

/// Without merges every text would be single bytes, which a vocabulary of more than bytes is not meant for.
void refuse_missing_merges(const JsonObject& model, const text::TokenizerSpec& spec) {
  constexpr std::ptrdiff_t kBytes = 256;
  if (spec.model != "gpt2" || spec.ignore_merges || !spec.merges.empty()) return;
  if (std::count(spec.kinds.begin(), spec.kinds.end(), text::TokenKind::kNormal) > kBytes)
    model.fail("merges", "empty", "the merges that make its tokens of bytes");
}

/// The vocabulary size needed for all ids.
std::size_t ids_needed(const JsonObject& file, const JsonObject& model) {
  constexpr std::size_t kMostUnused = 1 << 16;
  std::vector<std::int64_t> ids;
  const JsonObject vocabulary(model.required("vocab"), model.where() + ": vocab");
  for (const auto& entry : model.required("vocab").items())
    ids.push_back(vocabulary.required_integer(entry.key(), 0, limits::kVocab - 1));
  if (const json* list = file.find("added_tokens"); list != nullptr && list->is_array())
    for (const json& element : *list)
      ids.push_back(JsonObject(element, file.where() + ": added_tokens")
                        .required_integer("id", 0, limits::kVocab - 1));
  std::size_t needed = 1;
  for (const std::int64_t id : ids) needed = std::max(needed, static_cast<std::size_t>(id) + 1);
  if (needed > ids.size() + kMostUnused)
    model.fail("vocab", fmt::format("of {} tokens with ids up to {}", ids.size(), needed - 1),
               "most ids to be used");
  return needed;
}

/// The handling of characters that are not tokens.
void read_unknown(const JsonObject& model, text::TokenizerSpec& spec) {
  spec.byte_fallback = model.flag("byte_fallback").value_or(false);
  spec.fuse_unknown = model.flag("fuse_unk").value_or(false);
  if (spec.model == "gpt2") {  // every byte is a token there
    if (spec.byte_fallback) model.fail("byte_fallback", "true", "false");
    return;
  }
  if (model.flag("ignore_merges").value_or(false)) model.fail("ignore_merges", "true", "false");
  const auto unknown = model.text("unk_token");
  if (!unknown) return;
  spec.unknown = token_called(*unknown, spec);
  if (spec.unknown < 0) model.fail("unk_token", fmt::format("'{}'", *unknown), "a token");
}

/// The tokens that a post-processor adds before every text: none, or the beginning-of-text token.
void read_start(const JsonObject& part, text::TokenizerSpec& spec) {
  const std::string type = part.required_text("type");
  if (type == "ByteLevel") return;  // affects offsets only
  if (type == "Sequence") {
    for (const json& element : part.required("processors"))
      read_start(JsonObject(element, part.where() + ": processors"), spec);
    return;
  }
  if (type != "TemplateProcessing")
    part.fail("type", fmt::format("'{}'", type), "'ByteLevel' or 'TemplateProcessing'");
  bool text_seen = false;
  for (const json& element : part.required("single")) {
    const JsonObject piece(element, part.where() + ": single");
    if (piece.object("Sequence")) {
      text_seen = true;
      continue;
    }
    const auto special = piece.object("SpecialToken");
    const std::string content = special ? special->required_text("id") : "";
    if (text_seen || spec.add_bos || content.empty())
      part.fail("single", "more than one token before a text, or any after it",
                "at most a beginning-of-text token");
    spec.bos = token_called(content, spec);
    if (spec.bos < 0) special->fail("id", fmt::format("'{}'", content), "a token");
    spec.add_bos = true;
  }
}

/// The template, the default one of several; empty if there is none.
std::string chat_template(const JsonObject& settings) {
  const json* chat = settings.find("chat_template");
  if (chat == nullptr || !chat->is_array()) return settings.text("chat_template").value_or("");
  for (const json& element : *chat) {
    const JsonObject named(element, settings.where() + ": chat_template");
    if (named.required_text("name") == "default") return named.required_text("template");
  }
  return "";
}

}  // namespace

text::TokenizerSpec read_hf_tokenizer(const JsonObject& file, const JsonObject& settings,
                                      std::optional<int> vocab) {
  text::TokenizerSpec spec;
  const JsonObject model(file.required("model"), file.where() + ": model");
  refuse_extras(file, model);
  const bool byte_tokens = read_hf_text_steps(file, spec);
  spec.ignore_merges = model.flag("ignore_merges").value_or(false);
  spec.tokens.resize(vocab ? static_cast<std::size_t>(*vocab) : ids_needed(file, model));
  spec.kinds.assign(spec.tokens.size(), text::TokenKind::kUnused);
  read_vocabulary(model, byte_tokens, spec);
  read_added_tokens(file, settings, !vocab, spec);
  for (std::size_t id = 0; id < spec.tokens.size(); ++id)
    if (spec.kinds[id] == text::TokenKind::kUnused)
      spec.tokens[id] = fmt::format("[unused {}]", id);
  read_merges(model, spec);
  refuse_missing_merges(model, spec);
  read_unknown(model, spec);
  if (const auto part = file.object("post_processor")) read_start(*part, spec);
  if (spec.bos < 0) spec.bos = named_token(settings, "bos_token", spec);
  spec.eos = named_token(settings, "eos_token", spec);
  spec.chat_template = chat_template(settings);
  return spec;
}

}  // namespace outrider::model
