#include "runtime/model/huggingface/hf_text_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace outrider::model {
namespace {

using nlohmann::json;

constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBloomPattern = R"( ?[^(\s|[.,!?…。，、।۔،])]+)";
constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200kPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::size_t kLongestReplaced = 64;  // bytes; real files have one to three

std::string type_of(const JsonObject& part) { return part.required_text("type"); }

/// The elements of a list of objects.
std::vector<JsonObject> objects(const JsonObject& part, const char* key) {
  const json& list = part.required(key);
  if (!list.is_array()) part.fail(key, "not a list", "a list");
  std::vector<JsonObject> elements;
  for (const json& element : list)
    elements.emplace_back(element, fmt::format("{}: {}: {}", part.where(), key, elements.size()));
  return elements;
}

/// A string used for insertion into texts, of limited length.
std::string short_text(const JsonObject& part, const char* key) {
  std::string text = part.required_text(key);
  if (text.size() > kLongestReplaced)
    part.fail(key, fmt::format("of {} bytes", text.size()),
              fmt::format("at most {}", kLongestReplaced));
  return text;
}

/// The string that a Replace replaces.
std::string replaced_text(const JsonObject& part) {
  const auto pattern = part.object("pattern");
  if (!pattern || !pattern->find("String"))
    part.fail("pattern", "not a string", "a string, as {\"String\": \" \"}");
  std::string from = short_text(*pattern, "String");
  if (from.empty()) pattern->fail("String", "empty", "at least one character");
  return from;
}

void read_normalizer(const JsonObject& part, text::TokenizerSpec& spec) {
  using Kind = text::NormalStep::Kind;
  const std::string type = type_of(part);
  if (type == "Sequence") {
    for (const JsonObject& step : objects(part, "normalizers")) read_normalizer(step, spec);
  } else if (type == "NFC") {
    spec.normaliser.push_back({Kind::kFormC, "", ""});
  } else if (type == "Prepend") {
    spec.normaliser.push_back({Kind::kPrepend, "", short_text(part, "prepend")});
  } else if (type == "Replace") {
    std::string from = replaced_text(part);
    spec.normaliser.push_back({Kind::kReplace, std::move(from), short_text(part, "content")});
  } else {
    part.fail("type", fmt::format("'{}'", type), "'NFC', 'Prepend', 'Replace' or 'Sequence'");
  }
}

/// ByteLevel, with GPT-2's pattern or without.
bool is_byte_level(const JsonObject& part, bool pattern) {
  if (type_of(part) != "ByteLevel") return false;
  if (part.flag("add_prefix_space").value_or(true)) part.fail("add_prefix_space", "true", "false");
  return part.flag("use_regex").value_or(true) == pattern;
}

/// The pattern of a Split whose matches become words; empty for anything else. Where the text between matches is removed,
/// they do too, since the patterns here leave none.
std::string split_pattern(const JsonObject& part) {
  if (type_of(part) != "Split") return {};
  const bool inverted = part.flag("invert").value_or(false);
  if (part.text("behavior").value_or("") != (inverted ? "Removed" : "Isolated")) return {};
  const auto pattern = part.object("pattern");
  return pattern ? pattern->text("Regex").value_or("") : "";
}

/// The pre-tokenizer's name in GGUF files, for a byte-level tokenizer.
std::string pre_tokenizer_name(const JsonObject& file) {
  const auto part = file.object("pre_tokenizer");
  if (!part) file.fail("pre_tokenizer", "absent", "one of a byte-level tokenizer");
  if (type_of(*part) != "Sequence") {
    if (is_byte_level(*part, true)) return "gpt-2";
  } else if (const auto parts = objects(*part, "pretokenizers"); parts.size() == 2) {
    const JsonObject& first = parts[0];
    const JsonObject& second = parts[1];
    if (type_of(first) == "Digits" && first.flag("individual_digits").value_or(false) &&
        is_byte_level(second, true))
      return "smollm";
    const std::string pattern = split_pattern(first);
    if (pattern == kLlama3Pattern && is_byte_level(second, false)) return "llama-bpe";
    if (pattern == kQwen2Pattern && is_byte_level(second, false)) return "qwen2";
    if (pattern == kO200kPattern && is_byte_level(second, false)) return "gpt-4o";
    if (pattern == kBloomPattern && !first.flag("invert").value_or(false) &&
        is_byte_level(second, false))
      return "bloom";
  }
  file.fail("pre_tokenizer", "not supported",
            "that of GPT-2, GPT-4o, SmolLM, Llama 3, Qwen 2 or BLOOM");
}

/// Settings of a Metaspace pre-tokenizer or decoder.
text::Metaspace read_metaspace(const JsonObject& part) {
  using Prefix = text::Metaspace::Prefix;
  if (part.required_text("replacement") != text::kSpaceMark)
    part.fail("replacement", "another character", "U+2581");
  text::Metaspace metaspace{Prefix::kAlways, part.flag("split").value_or(true)};
  const std::string scheme = part.text("prepend_scheme").value_or("always");
  if (scheme == "never" || !part.flag("add_prefix_space").value_or(true)) {
    metaspace.prefix = Prefix::kNever;
  } else if (scheme == "first") {
    metaspace.prefix = Prefix::kFirst;
  } else if (scheme != "always") {
    part.fail("prepend_scheme", fmt::format("'{}'", scheme), "'always', 'first' or 'never'");
  }
  return metaspace;
}

/// Whether a pre-tokenizer splits after every space, where the normaliser leaves none: then it does nothing. Gemma's
/// tokenizers have one.
bool splits_nothing(const JsonObject& part, const text::TokenizerSpec& spec) {
  if (type_of(part) != "Split") return false;
  const auto pattern = part.object("pattern");
  return pattern && pattern->text("String").value_or("") == " " &&
         std::any_of(spec.normaliser.begin(), spec.normaliser.end(), [](const auto& step) {
           return step.kind == text::NormalStep::Kind::kReplace && step.from == " ";
         });
}

/// Reads the decoders of a character tokenizer, in the only supported order: marks to spaces, byte
/// tokens to bytes, then removal of leading spaces.
/// @return whether there are tokens for bytes
bool read_decoders(const JsonObject& decoder, text::TokenizerSpec& spec) {
  bool spaces = false;
  bool bytes = false;
  bool fused = false;
  for (const JsonObject& part : objects(decoder, "decoders")) {
    const std::string type = type_of(part);
    if (type == "Replace" && !fused && replaced_text(part) == text::kSpaceMark &&
        part.required_text("content") == " ") {
      spaces = true;
    } else if (type == "ByteFallback" && spaces && !fused) {
      bytes = true;
    } else if (type == "Fuse") {
      fused = true;
    } else if (type == "Strip" && fused && part.required_text("content") == " ") {
      part.integer("stop", 0, 0);
      spec.dropped_spaces = static_cast<std::size_t>(part.integer("start", 0, 1).value_or(0));
    } else {
      part.fail("type", fmt::format("'{}'", type),
                "Replace of U+2581 by a space, ByteFallback, Fuse, Strip of spaces, in this order");
    }
  }
  if (!spaces) decoder.fail("decoders", "without Replace", "Replace of U+2581 by a space");
  return bytes;
}

}  // namespace

bool read_hf_text_steps(const JsonObject& file, text::TokenizerSpec& spec) {
  if (const auto normalizer = file.object("normalizer")) read_normalizer(*normalizer, spec);
  const auto decoder = file.object("decoder");
  const std::string decoder_type = decoder ? type_of(*decoder) : "";
  if (decoder_type == "ByteLevel") {
    spec.model = "gpt2";
    spec.pre = pre_tokenizer_name(file);
    return false;
  }
  if (decoder_type != "Sequence" && decoder_type != "Metaspace")
    file.fail("decoder", decoder ? fmt::format("'{}'", decoder_type) : "absent",
              "'ByteLevel', 'Metaspace' or 'Sequence'");
  spec.model = "bpe";
  if (const auto part = file.object("pre_tokenizer"); part && !splits_nothing(*part, spec)) {
    if (type_of(*part) != "Metaspace")
      file.fail("pre_tokenizer", fmt::format("'{}'", type_of(*part)), "'Metaspace' or none");
    spec.metaspace = read_metaspace(*part);
  }
  if (decoder_type == "Sequence") return read_decoders(*decoder, spec);
  if (read_metaspace(*decoder).prefix != text::Metaspace::Prefix::kNever)
    spec.dropped_spaces = std::numeric_limits<std::size_t>::max();  // all spaces of the first piece
  return false;
}

}  // namespace outrider::model
