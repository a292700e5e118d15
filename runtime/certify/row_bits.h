#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine/pass.h"

namespace outrider::engine {

/// Everything that a row makes, as hashes: two rows of the same hashes have the same bits.
struct RowBits {
  struct Layer {
    std::uint64_t keys;
    std::uint64_t values;
    std::uint64_t queries;
    std::uint64_t softmax;
    std::uint64_t attention;  // the position that each head attends to most
    std::uint64_t output;
  };
  std::uint64_t embedding = 0;
  std::vector<Layer> layers = {};
  std::uint64_t final_norm = 0;
  std::optional<std::uint64_t> logits = {};  // if the row wanted them
};

/// What a pass has to hand out so that `bits_of` can be told.
TapRequest request_of_all(const model::ModelConfig& config);

/// Of a row of a pass that was requested all of it.
/// @param slot  where its keys and values lie
/// @param logits  its number among the rows that wanted logits; nothing if it did not
RowBits bits_of(const Pass& pass, int row, int slot, std::optional<int> logits,
                const model::ModelConfig& config);

/// What differs first, in the order in which a pass makes it: "the keys of layer 3". Of a layer that is
/// the keys (the norm before them, their product, their rotation), the values, the queries, the attention
/// (scores and softmax) and the output (the weighted sum of values, its product, the feed-forward). Empty if
/// nothing does. Logits are compared where both have them.
std::string first_difference(const RowBits& expected, const RowBits& found);

/// The same of the keys and values in a slot alone.
std::string first_difference(const RowBits& expected, const KvCache& cache, int slot);

}  // namespace outrider::engine
