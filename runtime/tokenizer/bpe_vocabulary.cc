#include "runtime/tokenizer/bpe_vocabulary.h"

#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "runtime/base/error.h"

namespace outrider::text {

BpeVocabulary index_tokens(const TokenizerSpec& spec) {
  BpeVocabulary vocabulary;
  vocabulary.reserve(spec.tokens.size());
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    const auto [known, added] = vocabulary.emplace(spec.tokens[i], static_cast<Token>(i));
    if (!added) {
      throw InputError(
          fmt::format("tokens {} and {} are both '{}'", known->second, i, spec.tokens[i]));
    }
  }
  return vocabulary;
}

MergeTable ranked_merges(const TokenizerSpec& spec, const BpeVocabulary& vocabulary) {
  MergeTable table(spec.merges.size());
  for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) {
    const std::string& left = spec.merges[rank].first;
    const std::string& right = spec.merges[rank].second;
    const auto id_of = [&](const std::string& token) {
      const auto found = vocabulary.find(token);
      if (found == vocabulary.end()) {
        throw InputError(fmt::format("merge {} ('{}' + '{}'): '{}' is not in the vocabulary", rank,
                                     left, right, token));
      }
      return found->second;
    };
    const Merge merge{static_cast<std::int32_t>(rank), id_of(left + right)};
    if (!table.add(id_of(left), id_of(right), merge)) {
      throw InputError(fmt::format("merge {} ('{}' + '{}') is duplicated", rank, left, right));
    }
  }
  return table;
}

}  // namespace outrider::text
