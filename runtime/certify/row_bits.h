#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/engine/pass.h"
#include "runtime/model/config.h"

namespace outrider::certify {

/// A hash of numbers; 0: absent. Two present ones are equal where the numbers have the same bits.
using Bits = std::uint64_t;

/// All results of a row, as hashes.
struct RowBits {
  struct Head {
    Bits query = 0;
    Bits softmax = 0;
    Bits best_key = 0;  // the position with the most attention
    Bits weights = 0;   // attention at some positions; of committed rows
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
  Bits scores = 0;  // of the logits, as stored in traces
};

/// The request that makes a pass return everything in RowBits.
engine::TapRequest request_of_all(const model::ModelConfig& config);

/// The bits of a row of a pass: the requested outputs, its logits if wanted, its keys and values.
/// @param slot  of its keys and values
RowBits bits_of(const engine::Pass& pass, int row, int slot, const model::ModelConfig& config);

/// Adds the attention of a row that has been committed since, by the requested heads: at about one
/// position in five, the same ones for every row at this position.
void add_attention(const engine::Pass& pass, int row, const model::ModelConfig& config,
                   RowBits& bits);

/// The first difference in the order of computation, such as "the keys of layer 3"; empty if there
/// is none. The order within a layer: keys (covers norm, product and rotation), values, queries,
/// attention (scores and softmax, then the weights) and output (weighted sum of values, its
/// product, feed-forward). Absent values are not compared.
std::string first_difference(const RowBits& expected, const RowBits& found);

/// The first difference in the keys and values of a slot.
std::string first_difference(const RowBits& expected, const engine::KvCache& cache, int slot);

}  // namespace outrider::certify
