#pragma once

#include "runtime/engine/cuda/panel_group.cuh"
#include "runtime/engine/cuda/row_fetch.cuh"
#include "runtime/engine/cuda/rows.cuh"
#include "runtime/engine/cuda/weight_block.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// The form of a product of many rows: a warp has `panels` panels and 8 `tiles` rows, whose sums stay in its registers. A
/// block of threads has `warps` warps, which share what is read of the rows.
template <Packing P, int tiles, int panels, int warps>
struct ProductForm {
  using Block = WeightBlock<P>;
  static constexpr int kTiles = tiles;
  static constexpr int kPanels = panels;
  static constexpr int kWarps = warps;
  static constexpr int kThreads = 32 * warps;
  /// Blocks of inputs that are fetched together: eight where shared memory allows. Even, since quants of two blocks lie
  /// together.
  static constexpr int kChunk =
      Block::kGroup == 8 || 3 * 8 * Block::kGroupBytes * panels * warps <= (64 << 10) ? 8 : 4;
  static constexpr int kChunkBytes = kChunk / Block::kGroup * Block::kGroupBytes;
  static constexpr int kRows = 8 * tiles;
  using Fetch = RowFetchForm<kRows, 1, kChunk, kThreads, !Block::kHasMinimum>;
  /// A stage has the chunks of all warps, and then their rows.
  static constexpr int kWeightBytes = warps * panels * kChunkBytes;
  static constexpr int kStageBytes = kWeightBytes + Fetch::kGroupBytes;
  static constexpr int kSums = panels * tiles * 4;
  /// Chunks that are on their way or in use: three where the 99 KB that every card has suffice, with what gated_product
  /// declares besides.
  static constexpr int kStages = 3 * kStageBytes <= (94 << 10) ? 3 : 2;
  static constexpr int kSharedBytes = kStages * kStageBytes;
};

/// A warp's part of a product: the sums of its panels with 8 `tiles` rows. Weights and rows are copied to shared memory some
/// chunks ahead.
template <class Form>
class PanelProduct {
 public:
  using Block = typename Form::Block;
  using Fetch = typename Form::Fetch;

  /// @param panels       of the matrix
  /// @param first_panel  of this warp; past the last one the last is read again
  DEVICE PanelProduct(const std::uint8_t* panels, int num_panels, int inputs, int first_panel,
                      const QuantisedRows& x, int first_row, int rows)
      : blocks_(inputs / 32),
        chunks_((blocks_ + Form::kChunk - 1) / Form::kChunk),
        row_fetch_(x, first_row, rows - first_row),
        lane_(lane_of_thread()),
        warp_(warp_of_block()) {
    const std::size_t size = static_cast<std::size_t>(blocks_ / Block::kGroup) * Block::kGroupBytes;
#pragma unroll
    for (int n = 0; n < Form::kPanels; ++n) {
      const int panel = first_panel + n < num_panels ? first_panel + n : num_panels - 1;
      panels_[n] = panels + static_cast<std::size_t>(panel) * size;
    }
  }

  /// Begins to read the first weights: these are there before the rows are.
  DEVICE void fetch_first() const {
    for (int chunk = 0; chunk < Form::kStages - 1; ++chunk) fetch_weights(chunk);
  }

  /// All warps of the block take part.
  /// @param sums  [panels, tiles, 4] as WeightBlock::dots gives them
  DEVICE void run(float (&sums)[Form::kSums]) const {
#pragma unroll
    for (int at = 0; at < Form::kSums; ++at) sums[at] = 0;
    for (int chunk = 0; chunk < Form::kStages - 1; ++chunk) {
      fetch_rows(chunk);
      copy_async_commit();
    }
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      copy_async_wait<Form::kStages - 2>();
      __syncthreads();  // what all threads have copied is there, and the stage before this one is free
      fetch_weights(chunk + Form::kStages - 1);
      fetch_rows(chunk + Form::kStages - 1);
      copy_async_commit();
      add(chunk, sums);
    }
    copy_async_wait<0>();
  }

 private:
  DEVICE static std::uint8_t* stage(int chunk) {
    return dynamic_shared<std::uint8_t>() + chunk % Form::kStages * Form::kStageBytes;
  }
  DEVICE std::uint8_t* weights_at(int chunk, int n) const {
    return stage(chunk) + (warp_ * Form::kPanels + n) * Form::kChunkBytes;
  }
  DEVICE static std::uint8_t* rows_at(int chunk) { return stage(chunk) + Form::kWeightBytes; }

  /// Those of the warp's own panels.
  DEVICE void fetch_weights(int chunk) const {
    if (chunk >= chunks_) return;
    const int left = blocks_ - chunk * Form::kChunk;
    const int bytes =
        (left < Form::kChunk ? left : Form::kChunk) / Block::kGroup * Block::kGroupBytes;
#pragma unroll
    for (int n = 0; n < Form::kPanels; ++n) {
      const std::uint8_t* from = panels_[n] + static_cast<std::size_t>(chunk) * Form::kChunkBytes;
      std::uint8_t* to = weights_at(chunk, n);
      for (int i = 16 * lane_; i < bytes; i += 512) copy_async_16(to + i, from + i);
    }
  }

  DEVICE void fetch_rows(int chunk) const {
    row_fetch_.fetch(chunk, rows_at(chunk), blocks_ - chunk * Form::kChunk);
  }

  /// Adds a chunk's products to the sums, block after block. Whole chunks go without a test of each block.
  DEVICE void add(int chunk, float (&sums)[Form::kSums]) const {
    const int left = blocks_ - chunk * Form::kChunk;
    if (left >= Form::kChunk) {
#pragma unroll
      for (int i = 0; i < Form::kChunk; ++i) add_block(chunk, i, sums);
    } else {
      for (int i = 0; i < left; ++i) add_block(chunk, i, sums);
    }
  }

  /// For every sum: scale * scale of the row times the dot product, and then minimum * scaled sum of the row.
  DEVICE void add_block(int chunk, int i, float (&sums)[Form::kSums]) const {
    const int g = lane_ / 4, t = lane_ % 4;
    const std::uint8_t* rows = rows_at(chunk);
    uint2 inputs[Form::kTiles];
    float4 scales[Form::kTiles];
    int4 row_sums[Form::kTiles];
#pragma unroll
    for (int tile = 0; tile < Form::kTiles; ++tile) {
      inputs[tile] = *reinterpret_cast<const uint2*>(
          rows + (i / 2 * Form::kRows + 8 * tile + g) * 64 + 16 * t + i % 2 * 8);
      const std::uint8_t* at = rows + Fetch::kQuantBytes + (i * Form::kRows + 8 * tile + 2 * t) * 8;
      scales[tile] = *reinterpret_cast<const float4*>(at);
      row_sums[tile] = make_int4(0, 0, 0, 0);
      if constexpr (!Block::kHasMinimum)
        row_sums[tile] = *reinterpret_cast<const int4*>(at + Fetch::kScaleBytes);
    }
#pragma unroll
    for (int n = 0; n < Form::kPanels; ++n) {
      const std::uint8_t* group = weights_at(chunk, n) + i / Block::kGroup * Block::kGroupBytes;
      const int in_group = i % Block::kGroup;
      const Block block(group, in_group, group + Block::kHeader + in_group * Block::kQuants, g, t);
#pragma unroll
      for (int tile = 0; tile < Form::kTiles; ++tile) {
        float dots[4];
        block.dots(inputs[tile].x, inputs[tile].y, row_sums[tile], dots);
        const float row_scale[2] = {scales[tile].x, scales[tile].z};
        const float scaled_sum[2] = {scales[tile].y, scales[tile].w};
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          float& sum = sums[(n * Form::kTiles + tile) * 4 + c];
          sum = __fmaf_rn(block.scale[c / 2] * row_scale[c % 2], dots[c], sum);
          if constexpr (Block::kHasMinimum)
            sum = __fmaf_rn(block.minimum[c / 2], scaled_sum[c % 2], sum);
        }
      }
    }
  }

  int blocks_;
  int chunks_;
  RowFetch<Fetch> row_fetch_;
  int lane_;
  int warp_;
  const std::uint8_t* panels_[Form::kPanels];
};

/// Grid: tiles of rows, groups of panels of all matrices.
template <class Form>
__global__ void __launch_bounds__(Form::kThreads) product(ProductArgs a) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const PanelGroup group(a, Form::kWarps * Form::kPanels);
  const ProductMatrix& matrix = a.matrices[group.matrix];
  const int first_panel = group.first_panel + warp * Form::kPanels;
  const int first_row = static_cast<int>(blockIdx.x) * 8 * Form::kTiles;
  const PanelProduct<Form> part(matrix.panels, matrix.num_panels, a.inputs, first_panel,
                                a.x.quantised, first_row, a.rows);
  part.fetch_first();
  let_next_launch_begin();
  wait_for_launch_before();
  float sums[Form::kSums];
  part.run(sums);
  const int g = lane / 4, t = lane % 4;
#pragma unroll
  for (int n = 0; n < Form::kPanels; ++n) {
    const int panel = first_panel + n;
    if (panel >= matrix.num_panels) break;
#pragma unroll
    for (int tile = 0; tile < Form::kTiles; ++tile)
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int row = first_row + 8 * tile + 2 * t + c;
        if (row >= a.rows) continue;
        const int at = (n * Form::kTiles + tile) * 4 + c;
        const int output = 16 * panel + 2 * g;
        float2 out = make_float2(sums[at], sums[at + 2]);
        auto* to = reinterpret_cast<float2*>(matrix.out +
                                             static_cast<std::size_t>(row) * a.out_stride + output);
        if (a.accumulate) out = make_float2(to->x + out.x, to->y + out.y);
        if (matrix.bias != nullptr)
          out = make_float2(out.x + matrix.bias[output], out.y + matrix.bias[output + 1]);
        *to = out;
      }
  }
}

/// A product of `gate` and one of `up`, of which the product silu(gate) * up is made and quantised: a block of threads has
/// 32 outputs of each. Grid: tiles of rows, blocks of 32 outputs.
template <class Form>
__global__ void __launch_bounds__(Form::kThreads) gated_product(GatedArgs a) {
  static_assert(Form::kWarps == 4 && Form::kPanels == 1);
  constexpr int kRows = 8 * Form::kTiles;
  __shared__ float outs[4][16][kRows + 1];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const int warp = thread / 32;  // two of `gate`, two of `up`
  const int block = static_cast<int>(blockIdx.y), first_row = static_cast<int>(blockIdx.x) * kRows;
  const PanelProduct<Form> part(warp < 2 ? a.gate : a.up, a.num_panels, a.inputs,
                                2 * block + warp % 2, a.x.quantised, first_row, a.rows);
  part.fetch_first();
  let_next_launch_begin();
  wait_for_launch_before();
  float sums[Form::kSums];
  part.run(sums);
  const int g = lane / 4, t = lane % 4;
#pragma unroll
  for (int tile = 0; tile < Form::kTiles; ++tile)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      float out = sums[tile * 4 + c];
      if (warp >= 2 && a.up_bias != nullptr)
        out = out + a.up_bias[16 * (2 * block + warp % 2) + 2 * g + c / 2];
      outs[warp][2 * g + c / 2][8 * tile + 2 * t + c % 2] = out;
    }
  __syncthreads();
  // Eight threads a row and block of 32.
  for (int i = thread; i < 8 * kRows; i += Form::kThreads) {
    const int r = i / 8, first = i % 8 * 4;
    if (first_row + r >= a.rows) break;
    const auto out = [&](int n) {
      const int o = first + n;
      return silu_times(outs[o / 16][o % 16][r], outs[2 + o / 16][o % 16][r]);
    };
    write_operand(make_float4(out(0), out(1), out(2), out(3)), 32 * block + first, first_row + r,
                  16 * a.num_panels, a.out);
  }
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
