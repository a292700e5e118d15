#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/engine/softmax.h"
#include "runtime/engine/tap_request.h"
#include "runtime/model/config.h"

namespace outrider::engine {

class KvCache;

/// The outputs of a pass other than logits. They are addressed by row of the pass, layer and head,
/// not by the order of a request, so that several observers share a pass. Reading what was not
/// requested throws std::logic_error. Valid until the next pass that uses the object; allocates for
/// larger passes only.
class Observation {
 public:
  bool has_states(int layer) const;
  bool has_attention(Head head) const;

  /// The hidden state of a row after a layer (as TapRequest counts), [width].
  std::span<const float> state(int layer, int row) const;
  /// The position with the most attention of a head of a row; ties: the lowest.
  int best_key(int row, Head head) const { return best_keys(row)[index_of(head)]; }
  /// The positions with the most attention for all heads of the model, [layers, heads].
  std::span<const std::int32_t> best_keys(int row) const;

  /// The attention of a row, computed now and at these positions only: [heads, positions]; 0 before
  /// the layer's window. Call before the next pass, for committed rows, while their engine and
  /// cache exist.
  /// @param positions  ascending, up to the row's own
  void attention(int row, std::span<const Head> heads, std::span<const int> positions,
                 std::vector<float>& out) const;

  /// Becomes what another observation has of the attention of one of its rows, which is row 0 here, so that it can be
  /// read after other passes: as long as the row stays the one committed last of its sequence, or on the path of that
  /// commit. Allocates nothing for the same request as before.
  void copy_attention(const Observation& from, int row);

  /// Everything that a head's attention depends on, given the keys: the scaled query, [head_width],
  /// and the maximum and sum of its softmax.
  std::span<const float> query(int row, Head head) const;
  const Softmax& softmax(int row, Head head) const;

  // For engines, which fill it.

  /// Computes `attention`: [heads, positions]. Must throw for rows that were not committed.
  using AttentionOf =
      std::function<void(const Observation& observation, int row, std::span<const Head> heads,
                         std::span<const int> positions, float* out)>;
  /// Makes room for the requested outputs of a pass of this many rows.
  /// @throws std::logic_error for a layer or a head that the model lacks
  void begin(const TapRequest& request, const model::ModelConfig& config, int rows,
             AttentionOf attention_of);
  /// @param number  of the row in its cache
  void set_row(int row, int position, int number, const KvCache* cache);
  int position(int row) const { return rows_[index(row)].position; }
  /// @throws std::logic_error unless the row was committed and is still in the cache
  const KvCache& cache_of_committed(int row) const;
  bool has_best_keys() const { return has_best_keys_; }
  bool has_attention() const { return num_heads_ > 0; }
  // Where the pass writes; null for what was not requested.
  float* state_out(int layer, int row);
  std::int32_t* best_keys_out(int row, Head first);
  float* query_out(int row, Head head);
  Softmax* softmax_out(int row, Head head);

 private:
  static constexpr int kAbsent = -1;
  struct RowInfo {
    int position;
    int number;
    const KvCache* cache;
  };

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  /// Index among all heads of the model.
  std::size_t index_of(Head head) const {
    return index(head.layer - 1) * index(heads_) + index(head.head);
  }
  /// Offset of a layer's states, or of a row's query by a head; kAbsent if not requested.
  std::ptrdiff_t offset_of_state(int layer, int row) const;
  std::ptrdiff_t offset_of_head(int row, Head head) const;

  int layers_ = 0;  // of the model
  int heads_ = 0;   // of a layer
  std::size_t width_ = 0;
  std::size_t head_width_ = 0;
  std::vector<int> state_numbers_;  // [layers + 2] by layer + 1
  std::vector<int> head_numbers_;   // [layers, heads]
  int num_states_ = 0;              // layers, and heads, requested
  int num_heads_ = 0;
  bool has_best_keys_ = false;

  std::vector<RowInfo> rows_;
  // After a larger pass these hold more than the current rows.
  std::vector<float> states_;           // [rows, layers requested, width]
  std::vector<std::int32_t> best_key_;  // [rows, layers, heads]
  std::vector<float> queries_;          // [rows, heads requested, head_width]
  std::vector<Softmax> softmax_;        // [rows, heads requested]
  AttentionOf attention_of_;
};

}  // namespace outrider::engine
