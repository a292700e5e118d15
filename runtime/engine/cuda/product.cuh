#pragma once

#include "runtime/engine/cuda/rows.cuh"
#include "runtime/engine/cuda/weight_block.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// The form of a product of quantised weights: a warp has `panels` panels and 8 `tiles` rows, whose sums stay in its
/// registers; `split` warps, a team, divide the blocks of their panels. A block of threads has `teams` teams.
template <Packing P, int tiles, int split, int panels, int teams>
struct ProductForm {
  using Block = WeightBlock<P>;
  static constexpr Packing kPacking = P;
  static constexpr int kTiles = tiles;
  static constexpr int kSplitWarps = split;
  static constexpr int kPanels = panels;
  static constexpr int kTeams = teams;
  static constexpr int kThreads = 32 * split * teams;
  /// The bytes of eight blocks of a panel.
  static constexpr int kEight = 8 / Block::kGroup * Block::kGroupBytes;
  /// Blocks of inputs that a warp fetches together: four, or eight where registers and shared memory allow. Even, since
  /// quants of two blocks lie together.
  static constexpr int kChunk = (split == 1 || (Block::kGroup == 8 && tiles * panels == 1)) &&
                                        3 * kEight * panels * teams * split <= (64 << 10)
                                    ? 8
                                    : 4;
  /// The header of a group is fetched with each chunk of it.
  static constexpr int kChunkBytes =
      Block::kGroup == 8 ? Block::kHeader + kChunk * Block::kQuants : kChunk * Block::kGroupBytes;
  /// The rows of a chunk: quants, their scales, and where weights have a zero point their sums.
  static constexpr int kRows = 8 * tiles;
  static constexpr int kQuantBytes = kChunk * kRows * 32;
  static constexpr int kScaleBytes = kChunk * kRows * 8;
  static constexpr int kRowBytes = kQuantBytes + (Block::kHasMinimum ? 1 : 2) * kScaleBytes;
  /// A stage has the chunks of all warps, and then their rows, which teams share.
  static constexpr int kWeightBytes = teams * split * panels * kChunkBytes;
  static constexpr int kStageBytes = kWeightBytes + split * kRowBytes;
  static constexpr int kSums = panels * tiles * 4;
  static constexpr int kRelayBytes = split > 1 ? teams* kSums * 32 * 4 : 0;
  /// Chunks of a warp that are on their way or in use: three where the 99 KB that every card has suffice, with what
  /// gated_product declares besides.
  static constexpr int kStages = 3 * kStageBytes + kRelayBytes <= (94 << 10) ? 3 : 2;
  static constexpr int kRingBytes = kStages * kStageBytes;
};

/// What a chunk adds to the sums of a warp, block by block: scale * scale of the row times the dot product, and then
/// minimum * scaled sum of the row, by fused multiply-adds. All of it is found by any warp at any time; only the additions
/// have an order.
template <class Form>
struct ChunkTerms {
  float dot[Form::kChunk][Form::kSums];
  float scale[Form::kChunk][Form::kPanels][2];
  float minimum[Form::kChunk][Form::kPanels][2];
  float row_scale[Form::kChunk][Form::kTiles][2];
  float scaled_sum[Form::kChunk][Form::kTiles][2];

  DEVICE void add(int i, float (&sums)[Form::kSums]) const {
#pragma unroll
    for (int n = 0; n < Form::kPanels; ++n)
#pragma unroll
      for (int tile = 0; tile < Form::kTiles; ++tile)
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const int at = (n * Form::kTiles + tile) * 4 + c;
          sums[at] =
              __fmaf_rn(scale[i][n][c / 2] * row_scale[i][tile][c % 2], dot[i][at], sums[at]);
          if constexpr (Form::Block::kHasMinimum)
            sums[at] = __fmaf_rn(minimum[i][n][c / 2], scaled_sum[i][tile][c % 2], sums[at]);
        }
  }
};

/// A warp's part of a product: the sums of its team's panels with 8 `tiles` rows. The warps of a team take chunks in turn,
/// and the sums travel from warp to warp in the order of chunks, through shared memory, so that the division leaves no
/// trace in the bits. Weights and rows are copied to shared memory some chunks ahead.
template <class Form>
class PanelProduct {
 public:
  using Block = typename Form::Block;

  /// @param panels       of the matrix
  /// @param first_panel  of this team; past the last one the last is read again
  DEVICE PanelProduct(const std::uint8_t* panels, int num_panels, int inputs, int first_panel,
                      const QuantisedRows& x, int first_row, int rows)
      : blocks_(inputs / 32),
        chunks_((blocks_ + Form::kChunk - 1) / Form::kChunk),
        x_(x),
        first_row_(first_row),
        rows_(rows - first_row < Form::kRows ? rows - first_row : Form::kRows),
        lane_(static_cast<int>(threadIdx.x) % 32),
        warp_(static_cast<int>(threadIdx.x) / 32),
        s_(warp_ % Form::kSplitWarps) {
    const std::size_t size = static_cast<std::size_t>(blocks_ / Block::kGroup) * Block::kGroupBytes;
#pragma unroll
    for (int n = 0; n < Form::kPanels; ++n) {
      const int panel = first_panel + n < num_panels ? first_panel + n : num_panels - 1;
      panels_[n] = panels + static_cast<std::size_t>(panel) * size;
    }
    ring_ = dynamic_shared<std::uint8_t>();
    relay_ = reinterpret_cast<float*>(ring_ + Form::kRingBytes) +
             warp_ / Form::kSplitWarps * Form::kSums * 32 + lane_;
  }

  /// Begins to read the first weights: these are there before the rows are.
  DEVICE void fetch_first() const {
    for (int round = 0; round < Form::kStages - 1; ++round) fetch_weights(round);
  }

  /// All warps of the block take part, and have the same number of rounds.
  /// @param sums  [panels, tiles, 4] as WeightBlock::dots gives them; of the first warp of the team
  DEVICE void run(float (&sums)[Form::kSums]) const {
    const int rounds = (chunks_ + Form::kSplitWarps - 1) / Form::kSplitWarps;
#pragma unroll
    for (int at = 0; at < Form::kSums; ++at) sums[at] = 0;
    for (int round = 0; round < Form::kStages - 1; ++round) {
      fetch_rows(round);
      copy_async_commit();
    }
    for (int round = 0; round < rounds; ++round) {
      copy_async_wait<Form::kStages - 2>();
      __syncthreads();  // what all threads have copied is there, and the stage before this one is free
      fetch_weights(round + Form::kStages - 1);
      fetch_rows(round + Form::kStages - 1);
      copy_async_commit();
      ChunkTerms<Form> terms;
      find_terms(round, terms, sums);
      if constexpr (Form::kSplitWarps > 1) {
        for (int turn = 0; turn < Form::kSplitWarps; ++turn) {
          if (turn == s_) {
            if (round > 0 || turn > 0) take_relay(sums);
#pragma unroll
            for (int i = 0; i < Form::kChunk; ++i) terms.add(i, sums);
#pragma unroll
            for (int at = 0; at < Form::kSums; ++at) relay_[at * 32] = sums[at];
          }
          if (turn + 1 < Form::kSplitWarps || round + 1 == rounds) __syncthreads();
        }
      }
    }
    copy_async_wait<0>();
    if constexpr (Form::kSplitWarps > 1) take_relay(sums);
  }

  DEVICE int split_warp() const { return s_; }

 private:
  DEVICE void take_relay(float (&sums)[Form::kSums]) const {
#pragma unroll
    for (int at = 0; at < Form::kSums; ++at) sums[at] = relay_[at * 32];
  }

  DEVICE std::uint8_t* stage(int round) const {
    return ring_ + round % Form::kStages * Form::kStageBytes;
  }
  DEVICE std::uint8_t* chunk_at(int round, int n) const {
    return stage(round) + (warp_ * Form::kPanels + n) * Form::kChunkBytes;
  }
  /// The rows of the s-th chunk of a round.
  DEVICE std::uint8_t* rows_at(int round, int s) const {
    return stage(round) + Form::kWeightBytes + s * Form::kRowBytes;
  }

  DEVICE void copy(std::uint8_t* to, const std::uint8_t* from, int bytes) const {
    for (int i = 16 * lane_; i < bytes; i += 512) copy_async_16(to + i, from + i);
  }

  /// The warp's own chunk.
  DEVICE void fetch_weights(int round) const {
    const int chunk = round * Form::kSplitWarps + s_;
    if (chunk >= chunks_) return;
    const int first = chunk * Form::kChunk;
#pragma unroll
    for (int n = 0; n < Form::kPanels; ++n) {
      std::uint8_t* to = chunk_at(round, n);
      if constexpr (Block::kGroup == 8) {
        const std::uint8_t* group =
            panels_[n] + static_cast<std::size_t>(first / 8) * Block::kGroupBytes;
        if constexpr (Form::kChunk == 8) {
          copy(to, group, Form::kChunkBytes);
        } else {
          copy(to, group, Block::kHeader);
          copy(to + Block::kHeader, group + Block::kHeader + first % 8 * Block::kQuants,
               Form::kChunk * Block::kQuants);
        }
      } else {
        const int count = blocks_ - first < Form::kChunk ? blocks_ - first : Form::kChunk;
        copy(to, panels_[n] + static_cast<std::size_t>(first) * Block::kGroupBytes,
             count * Block::kGroupBytes);
      }
    }
  }

  /// A share of the rows of all chunks of a round. What is past the last row is not read: its sums are not used.
  DEVICE void fetch_rows(int round) const {
    constexpr int kQuantUnits = Form::kQuantBytes / 16, kScaleUnits = Form::kScaleBytes / 16;
    constexpr int kUnitsOfPair = Form::kRows * 4, kUnitsOfBlock = Form::kRows / 2;
    for (int s = 0; s < Form::kSplitWarps; ++s) {
      const int first = (round * Form::kSplitWarps + s) * Form::kChunk;
      if (first >= blocks_) return;
      std::uint8_t* to = rows_at(round, s);
      for (int u = static_cast<int>(threadIdx.x); u < kQuantUnits; u += Form::kThreads) {
        const int block = first + u / kUnitsOfPair * 2, in_pair = u % kUnitsOfPair;
        if (block < blocks_ && in_pair < 4 * rows_)
          copy_async_16(to + 16 * u,
                        x_.quants +
                            (static_cast<std::size_t>(block / 2) * x_.stride + first_row_) * 64 +
                            16 * in_pair);
      }
      for (int u = static_cast<int>(threadIdx.x); u < kScaleUnits; u += Form::kThreads) {
        const int block = first + u / kUnitsOfBlock, row = u % kUnitsOfBlock * 2;
        if (block >= blocks_ || row >= rows_) continue;
        const std::size_t at = static_cast<std::size_t>(block) * x_.stride + first_row_ + row;
        copy_async_16(to + Form::kQuantBytes + 16 * u, x_.scales + at);
        if constexpr (!Block::kHasMinimum)
          copy_async_16(to + Form::kQuantBytes + Form::kScaleBytes + 16 * u, x_.sums + at);
      }
    }
  }

  DEVICE Block block_at(int round, int n, int i) const {
    const std::uint8_t* chunk = chunk_at(round, n);
    const int g = lane_ / 4, t = lane_ % 4;
    if constexpr (Block::kGroup == 8) {
      const int first = Form::kChunk == 8 ? 0 : (round * Form::kSplitWarps + s_) * Form::kChunk % 8;
      return Block(chunk, first + i, chunk + Block::kHeader + i * Block::kQuants, g, t);
    } else {
      const std::uint8_t* group = chunk + i * Block::kGroupBytes;
      return Block(group, 0, group + Block::kHeader, g, t);
    }
  }

  /// The terms of the warp's chunk; without a split they are added at once.
  DEVICE void find_terms(int round, ChunkTerms<Form>& terms, float (&sums)[Form::kSums]) const {
    const int first_block = (round * Form::kSplitWarps + s_) * Form::kChunk;
    const int g = lane_ / 4, t = lane_ % 4;
    const std::uint8_t* rows = rows_at(round, s_);
    uint4 inputs[Form::kTiles] = {};
#pragma unroll
    for (int i = 0; i < Form::kChunk; ++i) {
      // Past the last block terms are 0, which changes no sum, for none is -0.
      const bool there =
          Block::kGroup == 8 && Form::kSplitWarps == 1 ? true : first_block + i < blocks_;
      int4 row_sums[Form::kTiles];
#pragma unroll
      for (int tile = 0; tile < Form::kTiles; ++tile) {
        if (i % 2 == 0)
          inputs[tile] = *reinterpret_cast<const uint4*>(
              rows + (i / 2 * Form::kRows + 8 * tile + g) * 64 + 16 * t);
        const std::uint8_t* at =
            rows + Form::kQuantBytes + (i * Form::kRows + 8 * tile + 2 * t) * 8;
        const float4 scales = *reinterpret_cast<const float4*>(at);
        row_sums[tile] = make_int4(0, 0, 0, 0);
        if constexpr (!Block::kHasMinimum)
          row_sums[tile] = *reinterpret_cast<const int4*>(at + Form::kScaleBytes);
        terms.row_scale[i][tile][0] = there ? scales.x : 0.0f;
        terms.scaled_sum[i][tile][0] = there ? scales.y : 0.0f;
        terms.row_scale[i][tile][1] = there ? scales.z : 0.0f;
        terms.scaled_sum[i][tile][1] = there ? scales.w : 0.0f;
      }
#pragma unroll
      for (int n = 0; n < Form::kPanels; ++n) {
        const Block block = block_at(round, n, i);
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          terms.scale[i][n][c] = there ? block.scale[c] : 0.0f;
          terms.minimum[i][n][c] = Block::kHasMinimum && there ? block.minimum[c] : 0.0f;
        }
#pragma unroll
        for (int tile = 0; tile < Form::kTiles; ++tile) {
          const uint4& v = inputs[tile];
          float dots[4];
          block.dots(i % 2 == 0 ? v.x : v.z, i % 2 == 0 ? v.y : v.w, row_sums[tile], dots);
#pragma unroll
          for (int c = 0; c < 4; ++c)
            terms.dot[i][(n * Form::kTiles + tile) * 4 + c] = there ? dots[c] : 0.0f;
        }
      }
      if constexpr (Form::kSplitWarps == 1) terms.add(i, sums);
    }
  }

  int blocks_;
  int chunks_;
  QuantisedRows x_;
  int first_row_;
  int rows_;  // of this tile
  int lane_;
  int warp_;
  int s_;  // the warp's number in its team
  const std::uint8_t* panels_[Form::kPanels];
  std::uint8_t* ring_;
  float* relay_;
};

/// Grid: tiles of rows, groups of panels of all matrices.
template <class Form>
__global__ void __launch_bounds__(Form::kThreads) product(ProductArgs a) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int team = static_cast<int>(threadIdx.x) / 32 / Form::kSplitWarps;
  constexpr int kOfBlock = Form::kTeams * Form::kPanels;
  // The matrix that this block belongs to.
  int group = static_cast<int>(blockIdx.y), m = 0;
  for (; m + 1 < a.count; ++m) {
    const int groups = (a.matrices[m].num_panels + kOfBlock - 1) / kOfBlock;
    if (group < groups) break;
    group -= groups;
  }
  const ProductMatrix& matrix = a.matrices[m];
  const int first_panel = group * kOfBlock + team * Form::kPanels;
  const int first_row = static_cast<int>(blockIdx.x) * 8 * Form::kTiles;
  const PanelProduct<Form> part(matrix.panels, matrix.num_panels, a.inputs, first_panel,
                                a.x.quantised, first_row, a.rows);
  part.fetch_first();
  let_next_launch_begin();
  wait_for_launch_before();
  float sums[Form::kSums];
  part.run(sums);
  if (part.split_warp() != 0) return;
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
  static_assert(Form::kTeams == 4 && Form::kPanels == 1);
  constexpr int kRows = 8 * Form::kTiles;
  __shared__ float outs[4][16][kRows + 1];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const int team = thread / 32 / Form::kSplitWarps;
  const int block = static_cast<int>(blockIdx.y), first_row = static_cast<int>(blockIdx.x) * kRows;
  const PanelProduct<Form> part(team < 2 ? a.gate : a.up, a.num_panels, a.inputs,
                                2 * block + team % 2, a.x.quantised, first_row, a.rows);
  part.fetch_first();
  let_next_launch_begin();
  wait_for_launch_before();
  float sums[Form::kSums];
  part.run(sums);
  if (part.split_warp() == 0) {
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int tile = 0; tile < Form::kTiles; ++tile)
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        float out = sums[tile * 4 + c];
        if (team >= 2 && a.up_bias != nullptr)
          out = out + a.up_bias[16 * (2 * block + team % 2) + 2 * g + c / 2];
        outs[team][2 * g + c / 2][8 * tile + 2 * t + c % 2] = out;
      }
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

/// Products of weights stored as floats: chains of fused multiply-adds, which are added up in order where they are shorter
/// than a row (kChain inputs). A thread has one output and kFloatRows rows. Grid: tiles of rows, groups of eight panels.
struct F32Weights {
  static constexpr int kChain = 32;
  DEVICE static float at(const std::uint8_t* panels, std::size_t i) {
    return reinterpret_cast<const float*>(panels)[i];
  }
};
struct F16Weights {
  static constexpr int kChain = 1 << 30;
  DEVICE static float at(const std::uint8_t* panels, std::size_t i) {
    return half_bits_to_float(reinterpret_cast<const std::uint16_t*>(panels)[i]);
  }
};
struct Bf16Weights {
  static constexpr int kChain = 1 << 30;
  DEVICE static float at(const std::uint8_t* panels, std::size_t i) {
    return __uint_as_float(
        static_cast<std::uint32_t>(reinterpret_cast<const std::uint16_t*>(panels)[i]) << 16);
  }
};

constexpr int kFloatRows = 4;

template <class Weights>
__global__ void __launch_bounds__(128) product_float(ProductArgs a) {
  const ProductMatrix& matrix = a.matrices[0];
  const int thread = static_cast<int>(threadIdx.x);
  const int panel = static_cast<int>(blockIdx.y) * 8 + thread / 16, output = thread % 16;
  const int first_row = static_cast<int>(blockIdx.x) * kFloatRows;
  let_next_launch_begin();
  wait_for_launch_before();
  if (panel >= matrix.num_panels) return;
  const std::size_t base = static_cast<std::size_t>(panel) * a.inputs * 16 + output;
  const float* x[kFloatRows];
#pragma unroll
  for (int r = 0; r < kFloatRows; ++r) {
    const int row = first_row + r < a.rows ? first_row + r : a.rows - 1;
    x[r] = a.x.floats + static_cast<std::size_t>(row) * a.inputs;
  }
  float sums[kFloatRows] = {};
  for (int first = 0; first < a.inputs;) {
    const int last = a.inputs - first > Weights::kChain ? first + Weights::kChain : a.inputs;
    float chains[kFloatRows] = {};
#pragma unroll 8
    for (int k = first; k < last; ++k) {
      const float w = Weights::at(matrix.panels, base + static_cast<std::size_t>(k) * 16);
#pragma unroll
      for (int r = 0; r < kFloatRows; ++r) chains[r] = __fmaf_rn(w, x[r][k], chains[r]);
    }
#pragma unroll
    for (int r = 0; r < kFloatRows; ++r) sums[r] = sums[r] + chains[r];
    first = last;
  }
#pragma unroll
  for (int r = 0; r < kFloatRows; ++r) {
    if (first_row + r >= a.rows) continue;
    float* to =
        matrix.out + static_cast<std::size_t>(first_row + r) * a.out_stride + 16 * panel + output;
    float out = a.accumulate ? *to + sums[r] : sums[r];
    if (matrix.bias != nullptr) out = out + matrix.bias[16 * panel + output];
    *to = out;
  }
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
