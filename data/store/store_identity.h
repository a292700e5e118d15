#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace outrider::data {

/// Everything that the content of a trace store depends on. Two runs with equal identities write the same
/// bytes; a store is never continued with another identity.
struct StoreIdentity {
  std::string model_name;      // for people; in manifests only; not compared
  std::string model_hash;      // model::model_hash
  std::string tokenizer_hash;  // model::tokenizer_hash
  int vocab = 0;
  int width = 0;
  int top_k = 32;
  std::vector<int> layers;  // layers whose hidden states are stored, in order; empty: none
  /// All other options on which the traces depend, as flag names and values: ("max-new", "256"),
  /// ("prompts", hash of their ids and turns in order), … Not batch, threads or paths.
  std::vector<std::pair<std::string, std::string>> options;
  /// certify::hash_of_fixed_text in hexadecimal: changes with the bits of the engine's arithmetic. In manifests only.
  std::string logits_hash = {};
};

/// Ids take two bytes if the vocabulary allows it, else four.
inline bool tokens_are_short(const StoreIdentity& identity) { return identity.vocab <= 1 << 16; }

/// The value of an option; nullptr if it was not recorded.
const std::string* find_option(const StoreIdentity& identity, const std::string& name);

/// The seed; nothing if none was recorded or it is not a number.
std::optional<std::uint64_t> seed_of(const StoreIdentity& identity);

/// The identity as JSON in one line; equal texts mean equal identities.
std::string identity_text(const StoreIdentity& identity);

/// The inverse. @param name  the file, for messages
/// @throws InputError for anything else
StoreIdentity parse_identity(const std::string& text, const std::string& name);

/// The first difference, as "--max-new was 256 and is now 128"; empty if equal. What only manifests have is not compared.
std::string first_difference(const StoreIdentity& before, const StoreIdentity& now);

}  // namespace outrider::data
