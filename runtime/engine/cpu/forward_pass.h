#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/aligned_buffer.h"
#include "runtime/engine/cpu/attention_tiles.h"
#include "runtime/engine/cpu/cpu_kv_cache.h"
#include "runtime/engine/cpu/expert_routing.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/prepared_weights.h"
#include "runtime/engine/cpu/rope_angles.h"
#include "runtime/engine/cpu/row_buffer.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/pass_layout.h"
#include "runtime/engine/thread_team.h"

namespace outrider::engine::cpu {

/// Runs passes: every thread executes all of `run_thread`, computes its share of each step and
/// waits for the others at a barrier where a step needs results of other threads.
class ForwardPass {
 public:
  ForwardPass(const model::Model& model, const PreparedWeights& weights, const Kernels& kernels,
              const NumericsPlan& plan, ThreadTeam& team);

  void run(Pass& pass);

 private:
  /// Up to this many rows, each thread normalises all rows for itself, which is cheaper than a
  /// barrier.
  static constexpr int kOwnNormRows = 2;

  /// The offset of row `row` in rows of `width` numbers.
  static std::size_t at(int row, int width) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  }
  void prepare(Pass& pass);
  /// Whether observers want more of the last layer than the keys and values of rows without logits.
  bool observes_last_layer() const;
  /// Finds the sequences' caches. @throws std::logic_error for one of another kind
  void find_caches(const Pass& pass);
  CpuKvCache& cache_of(int row) const;
  float* qkv_row(int row) { return qkv_.data() + static_cast<std::size_t>(row) * qkv_width_; }
  void run_thread(int thread);
  void embed(int thread);
  void embed_row(int row);
  /// Makes the rows' first states of those that they are given as.
  void project_states(int thread);
  /// @param first_normed  the row of `normed_` that has row 0
  /// @param first         rows before it need no queries
  void project_qkv(int thread, int layer, int first_normed, int first);
  /// A head of queries or keys of a layer, which counts from 0 here.
  struct HeadOfLayer {
    int layer;
    int column;  // index of the head in a row of qkv_
    const std::vector<float>& norm;
    float scale;
  };
  /// Normalises a head and rotates it, where the model does either, and scales it.
  void rotate_head(int row, const HeadOfLayer& head);
  void rotate_queries(int layer, int head, int first);
  bool has_window(int layer) const;
  /// The cosines and sines of a row in a layer, which counts from 0 here.
  const float* angles_of(int layer, int row) const;
  void write_angles(int row);
  void store_keys(int thread, int layer, int head);
  /// Marks the rows with keys or values that the cache cannot hold.
  void mark_too_large();
  /// The number of earlier positions outside the layer's window. Layers count from 0 here.
  int before_window(int layer, int position) const;
  void attend(int thread, int layer);
  /// Quantises a share of what all threads attended to.
  void quantise_attended(int thread, int first);
  /// The keys that a row sees in a layer, which counts from 0 here.
  KeyPath path_of(int layer, int row) const;
  template <typename Kv>
  const Kv* keys_after(std::span<const AttentionTile> tiles, std::size_t i, int layer) const;
  template <typename Kv>
  void attend_tile(int thread, int layer, const AttentionTile& tile, const Kv* next_keys);
  /// The feed-forward network of rows from `first` on.
  /// @param first_normed  row of `normed_` with row `first`
  void feed_forward(int thread, const PreparedLayer& layer, int first_normed, int first);
  /// Applies the activation to `count` numbers. @param up  where it is gated
  void activate(float* gate, const float* up, int count) const;
  /// The feed-forward step of a layer with experts, likewise, whose outputs are added to the residual stream.
  void mix_experts(int thread, const PreparedLayer& layer, int first_normed, int first);
  void activate_experts(int thread, const PreparedLayer& layer);
  void add_experts(int thread, const PreparedLayer& layer, int first);
  void logits(int thread);

  void prepare_taps(Pass& pass);
  void copy_states(int thread, int layer);
  /// Copies the queries and the softmax's maximum and sum.
  void copy_queries(int thread, int layer);
  /// Implements Observation::attention.
  void attend_at(const Observation& observed, int row, std::span<const Head> heads,
                 std::span<const int> positions, float* out) const;
  /// A query head of a committed row.
  struct HeadOfRow {
    Head head;
    int position;
    const float* query;
    Softmax softmax;
  };
  template <typename Kv>
  void weigh(const CpuKvCache& cache, const HeadOfRow& row, std::span<const int> positions,
             float* out) const;

  /// [width] numbers; `out` may equal `x`. Copies them where the model has no such norm.
  void normalise_numbers(const float* x, const PreparedNorm& norm, float* out) const;
  /// Normalises row `row` of the residual stream into row `target` of `normed_`.
  void normalise_row(int row, const PreparedNorm& norm, int target);
  /// Normalises every row from `first` on; returns the row of `normed_` that has that one for this thread.
  int normalise(int thread, const PreparedNorm& norm, int first);

  struct Output {
    float* data;  // [rows, stride]
    std::size_t stride;
    bool accumulate;
  };
  /// The outputs of some panels, with the bias added last.
  void project(const Projection& projection, Share panels, const RowBuffer& x, int first_row,
               int rows, const Output& out) const;
  /// Adds a projection of the rows from `first` on to the residual stream, scaled, and normalised where the model
  /// does that.
  void add_to_stream(int thread, const Projection& projection, const RowBuffer& x, int first,
                     const PreparedNorm& norm);
  /// Divides a share of a row of logits and bounds it softly, where the model does either.
  void bound_logits(float* logits, int count) const;
  /// A thread's share of all outputs.
  Share panels_of(int thread, const Projection& projection) const;

  const model::Model& model_;
  const model::ModelConfig& config_;
  const PreparedWeights& weights_;
  const Kernels& kernels_;
  ThreadTeam& team_;
  KvType kv_;
  float kv_bound_;      // keys and values from here on cannot be committed
  float score_scale_;   // of attention's scores
  bool adds_directly_;  // what is added to the residual stream is neither normalised nor scaled
  bool heads_share_blocks_;  // blocks of 32 quantised numbers reach from one head into the next
  RopeAngles rope_;
  std::optional<RopeAngles> window_rope_;  // of layers with windows, where these have their own
  std::vector<float> slopes_;              // [heads]; empty: no ALiBi

  // State of the current pass.
  Pass* pass_ = nullptr;
  int rows_ = 0;
  /// In the last layer nothing but keys and values is computed for rows before this one: the first with
  /// logits, or 0 if something of that layer is observed in this pass.
  int first_output_row_ = 0;
  PassLayout layout_;
  AttentionTiles tiles_;
  AttentionTiles last_tiles_;        // of the last layer, where it leaves out rows
  std::vector<CpuKvCache*> caches_;  // of the sequences
  std::vector<int> logit_rows_;
  std::vector<std::uint8_t>
      too_large_;            // [threads, rows] keys or values that the cache cannot hold
  float* logits_ = nullptr;  // [rows that want them, logits_stride_] of the pass
  std::size_t logits_stride_ = 0;
  std::size_t scratch_stride_ = 0;

  // Row-major, as large as for the largest pass so far.
  std::size_t qkv_width_;
  AlignedBuffer<float> residual_;   // [rows, width]
  AlignedBuffer<float> added_;      // [rows, width] before it is normalised or scaled, if it is
  AlignedBuffer<float> qkv_;        // [rows, qkv_width]
  AlignedBuffer<float> up_;         // [rows, ffn_width]
  AlignedBuffer<float> angles_;     // [rows, 2, head_width]: by rope_, and by window_rope_
  AlignedBuffer<Softmax> softmax_;  // [rows, heads] of the current layer, where heads are tapped
  AlignedBuffer<float> scratch_;    // of attention, for each thread
  RowBuffer given_;                 // [rows, state_inputs]
  RowBuffer normed_;                // [rows, width] shared, or a few rows for each thread
  RowBuffer attended_;              // [rows, heads * head_width]
  RowBuffer gate_;                  // [rows, ffn_width]; holds up where there is no gate
  // Of layers with experts; a row has so many places as it uses experts.
  ExpertRouting routing_;
  AlignedBuffer<float> routed_;          // [rows, outputs of the router]
  RowBuffer expert_inputs_;              // [places, width]
  RowBuffer expert_gates_;               // [places, ffn_width]
  AlignedBuffer<float> expert_up_;       // [places, ffn_width]
  AlignedBuffer<float> expert_outputs_;  // [places, width]
};

}  // namespace outrider::engine::cpu
