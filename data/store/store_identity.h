#pragma once

#include <string>
#include <utility>
#include <vector>

namespace outrider::data {

/// Everything that decides what a trace store holds. Two runs with equal identities write the same
/// bytes; a store is never continued with another one.
struct StoreIdentity {
  std::string model_name;      // for people; not compared
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

}  // namespace outrider::data
