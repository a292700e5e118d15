#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace outrider::data {

/// Everything that decides what a trace store holds. Two runs with equal identities write the same
/// bytes; a store is never continued with another one.
struct StoreIdentity {
  std::string model_name;      // for people; not compared, and not in identity_text
  std::string model_hash;      // model::model_hash
  std::string tokenizer_hash;  // model::tokenizer_hash
  int vocab = 0;
  int width = 0;
  int top_k = 32;
  std::vector<int> layers;  // whose hidden states are stored, in order; empty: none
  /// The rest as names of flags and values: ("max-new", "256"), ("prompts", hash of their ids and
  /// turns in order), and every other option on which the traces depend. Not batch, threads, paths.
  std::vector<std::pair<std::string, std::string>> options;
};

/// Ids take two bytes where the vocabulary allows it, else four.
inline bool tokens_are_short(const StoreIdentity& identity) { return identity.vocab <= 1 << 16; }

/// The value of an option; nullptr where it was not recorded.
const std::string* find_option(const StoreIdentity& identity, const std::string& name);

/// The seed; nothing where none was recorded, or what was is no number.
std::optional<std::uint64_t> seed_of(const StoreIdentity& identity);

/// As JSON in one line; equal texts mean equal identities.
std::string identity_text(const StoreIdentity& identity);

/// The way back. @param name  the file, for messages
/// @throws InputError for what is not such a text
StoreIdentity parse_identity(const std::string& text, const std::string& name);

/// What first differs, as "--max-new was 256 and is now 128"; empty when nothing does.
std::string first_difference(const StoreIdentity& before, const StoreIdentity& now);

}  // namespace outrider::data
