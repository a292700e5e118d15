#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/engine/pass.h"
#include "runtime/model/config.h"

namespace outrider::certify {

/// A hash of numbers; 0: they were not handed out. Two that are there and equal are of the same bits.
using Bits = std::uint64_t;

/// Everything that a row makes, as hashes.
struct RowBits {
  struct Head {
    Bits query = 0;
    Bits softmax = 0;
    Bits best_key = 0;  // the position that it attends to most
    Bits weights = 0;   // its attention at some positions; of rows that were committed
  };
  struct Layer {
    Bits keys = 0;
    Bits values = 0;
    std::vector<Head> heads = {};
    Bits output = 0;
  };
  Bits embedding = 0;
  std::vector<Layer> layers = {};
  Bits final_norm = 0;
  Bits logits = 0;
  Bits scores = 0;  // of the logits, as traces keep them
};

/// What a pass has to hand out so that all of it can be told.
engine::TapRequest request_of_all(const model::ModelConfig& config);

/// Of a row of a pass: what was requested, its logits if it wanted them, its keys and values.
/// @param slot  where these lie
RowBits bits_of(const engine::Pass& pass, int row, int slot, const model::ModelConfig& config);

/// Adds the attention of a row that has been committed since, by the heads that were requested: at about
/// one position in five, the same ones for every row of this position.
void add_attention(const engine::Pass& pass, int row, const model::ModelConfig& config,
                   RowBits& bits);

/// What differs first, in the order in which a pass makes it: "the keys of layer 3". Of a layer that is
/// the keys (the norm before them, their product, their rotation), the values, the queries, the attention
/// (scores and softmax, then the weights that it is asked for) and the output (the weighted sum of values,
/// its product, the feed-forward). Empty if nothing does. Compared is what both have.
std::string first_difference(const RowBits& expected, const RowBits& found);

/// The same of the keys and values in a slot alone.
std::string first_difference(const RowBits& expected, const engine::KvCache& cache, int slot);

}  // namespace outrider::certify
