#pragma once

#include "runtime/engine/cuda/weight_block.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// The form of a product of quantised weights: a warp has `panels` panels and 8 `tiles` rows, whose sums stay in its
/// registers; `split` warps divide the blocks of its panels. A block of threads has four warps.
template <Packing P, int tiles, int split, int panels>
struct ProductForm {
  static constexpr int kWarps = 4;
  static constexpr int kTiles = tiles;
  static constexpr int kSplitWarps = split;
  static constexpr int kPanels = panels;
  using Block = WeightBlock<P>;
  /// Blocks of inputs that a warp fetches together. Even, since quants of two blocks lie together.
  static constexpr int kChunk = Block::kGroup == 8 || kSplitWarps == 1 ? 8 : 4;
  static constexpr int kChunkBytes = kChunk / Block::kGroup * Block::kGroupBytes;
  /// Chunks of a warp that are on their way or in use.
  static constexpr int kStages = 3;
  static constexpr int kWarpBytes = kStages * kPanels * kChunkBytes;
  static constexpr int kRingBytes = kWarps * kWarpBytes;
  static constexpr int kSums = kPanels * kTiles * 4;
  static constexpr int kRelayBytes = kSplitWarps > 1 ? kWarps / kSplitWarps * kSums * 32 * 4 : 0;
  static constexpr int kSharedBytes = kRingBytes + kRelayBytes;
  static constexpr int kPanelsOfBlock = kWarps / kSplitWarps * kPanels;
};

/// What a chunk adds to the sums of a warp, block by block: each sum is scaled * dot, and then minimum * scaled_sum,
/// added by fused multiply-adds. All of it is found by any warp at any time; only the additions have an order.
template <class Form>
struct ChunkTerms {
  float dot[Form::kChunk][Form::kSums];
  float scaled[Form::kChunk][Form::kSums];
  float minimum[Form::kChunk][Form::kPanels][2];
  float scaled_sum[Form::kChunk][Form::kTiles * 2];
};

/// A warp divides the product of its panels with the other warps of its split: warp s takes the chunks s, s + split, ...
/// The sums travel from warp to warp in the order of chunks, through shared memory, so that the division leaves no trace
/// in the bits. Grid: tiles of rows, groups of panels.
template <Packing P, int kTiles, int kSplitWarps, int kPanels>
__global__ void __launch_bounds__(128) product(ProductArgs a) {
  using Form = ProductForm<P, kTiles, kSplitWarps, kPanels>;
  using Block = WeightBlock<P>;
  constexpr int kChunk = Form::kChunk;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4, t = lane % 4;
  const int s = warp % kSplitWarps, team = warp / kSplitWarps;
  const int blocks = a.inputs / 32;
  const int chunks = (blocks + kChunk - 1) / kChunk;
  const int rounds = (chunks + kSplitWarps - 1) / kSplitWarps;
  const int first_panel = (static_cast<int>(blockIdx.y) * (Form::kWarps / kSplitWarps) + team) * kPanels;
  const int first_row = static_cast<int>(blockIdx.x) * 8 * kTiles;
  const std::size_t panel_size = static_cast<std::size_t>(blocks / Block::kGroup) * Block::kGroupBytes;
  const QuantisedRows& x = a.x.quantised;

  std::uint8_t* ring = dynamic_shared<std::uint8_t>() + warp * Form::kWarpBytes;
  float* relay = reinterpret_cast<float*>(dynamic_shared<std::uint8_t>() + Form::kRingBytes) +
                 team * Form::kSums * 32 + lane;
  const auto chunk_at = [&](int round, int n) {
    return ring + (round % Form::kStages * kPanels + n) * Form::kChunkBytes;
  };
  const auto fetch = [&](int round) {
    const int chunk = round * kSplitWarps + s;
    if (chunk < chunks) {
      const int count = blocks - chunk * kChunk < kChunk ? blocks - chunk * kChunk : kChunk;
      const int bytes = count / Block::kGroup * Block::kGroupBytes;
#pragma unroll
      for (int n = 0; n < kPanels; ++n) {
        // Past the last panel the last one is read again, and nothing of it is written.
        const int panel = first_panel + n < a.num_panels ? first_panel + n : a.num_panels - 1;
        const std::uint8_t* from = a.panels + static_cast<std::size_t>(panel) * panel_size +
                                   static_cast<std::size_t>(chunk) * Form::kChunkBytes;
        std::uint8_t* to = chunk_at(round, n);
        for (int i = 16 * lane; i < bytes; i += 512) copy_async_16(to + i, from + i);
      }
    }
    copy_async_commit();
  };

  float sums[Form::kSums] = {};
  // Adds block `i` of a chunk's terms.
  const auto add = [&](const ChunkTerms<Form>& terms, int i) {
#pragma unroll
    for (int n = 0; n < kPanels; ++n)
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const int at = (n * kTiles + tile) * 4 + c;
          sums[at] = __fmaf_rn(terms.scaled[i][at], terms.dot[i][at], sums[at]);
          if constexpr (Block::kHasMinimum)
            sums[at] = __fmaf_rn(terms.minimum[i][n][c / 2], terms.scaled_sum[i][tile * 2 + c % 2], sums[at]);
        }
  };

  for (int round = 0; round < Form::kStages - 1; ++round) fetch(round);
  for (int round = 0; round < rounds; ++round) {
    fetch(round + Form::kStages - 1);
    copy_async_wait<Form::kStages - 1>();
    __syncwarp();
    const int first_block = (round * kSplitWarps + s) * kChunk;
    ChunkTerms<Form> terms;
    uint4 inputs[kTiles] = {};
#pragma unroll
    for (int i = 0; i < kChunk; ++i) {
      const int b = first_block + i;
      const bool there = b < blocks;  // the same in all lanes
      if (!there) {
        // Adding nothing changes no sum, for none is -0.
#pragma unroll
        for (int at = 0; at < Form::kSums; ++at) terms.dot[i][at] = terms.scaled[i][at] = 0;
#pragma unroll
        for (int n = 0; n < kPanels; ++n) terms.minimum[i][n][0] = terms.minimum[i][n][1] = 0;
#pragma unroll
        for (int at = 0; at < 2 * kTiles; ++at) terms.scaled_sum[i][at] = 0;
        continue;
      }
      if (i % 2 == 0) {
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile)
          inputs[tile] = *reinterpret_cast<const uint4*>(
              x.quants + (static_cast<std::size_t>(b / 2) * x.stride + first_row + 8 * tile + g) * 64 + 16 * t);
      }
      float4 scales[kTiles];
      int4 row_sums[kTiles];
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        const std::size_t at = static_cast<std::size_t>(b) * x.stride + first_row + 8 * tile + 2 * t;
        scales[tile] = *reinterpret_cast<const float4*>(x.scales + at);
        if constexpr (!Block::kHasMinimum) {
          row_sums[tile] = *reinterpret_cast<const int4*>(x.sums + at);
        } else {
          row_sums[tile] = make_int4(0, 0, 0, 0);
        }
        terms.scaled_sum[i][2 * tile] = scales[tile].y;
        terms.scaled_sum[i][2 * tile + 1] = scales[tile].w;
      }
#pragma unroll
      for (int n = 0; n < kPanels; ++n) {
        const Block block(chunk_at(round, n), i, g, t);
        terms.minimum[i][n][0] = Block::kHasMinimum ? block.minimum[0] : 0.0f;
        terms.minimum[i][n][1] = Block::kHasMinimum ? block.minimum[1] : 0.0f;
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile) {
          const uint4& v = inputs[tile];
          float dots[4];
          block.dots(i % 2 == 0 ? v.x : v.z, i % 2 == 0 ? v.y : v.w, row_sums[tile], dots);
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            const int at = (n * kTiles + tile) * 4 + c;
            terms.dot[i][at] = dots[c];
            terms.scaled[i][at] = block.scale[c / 2] * (c % 2 == 0 ? scales[tile].x : scales[tile].z);
          }
        }
      }
      if constexpr (kSplitWarps == 1) add(terms, i);
    }
    __syncwarp();
    if constexpr (kSplitWarps > 1) {
      for (int turn = 0; turn < kSplitWarps; ++turn) {
        if (turn == s) {
          if (round > 0 || s > 0)
#pragma unroll
            for (int at = 0; at < Form::kSums; ++at) sums[at] = relay[at * 32];
#pragma unroll
          for (int i = 0; i < kChunk; ++i) add(terms, i);
#pragma unroll
          for (int at = 0; at < Form::kSums; ++at) relay[at * 32] = sums[at];
        }
        __syncthreads();
      }
    }
  }
  copy_async_wait<0>();
  if (s != 0) return;
#pragma unroll
  for (int n = 0; n < kPanels; ++n) {
    const int panel = first_panel + n;
    if (panel >= a.num_panels) break;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int row = first_row + 8 * tile + 2 * t + c;
        if (row >= a.rows) continue;
        const int at = (n * kTiles + tile) * 4 + c;
        const int output = 16 * panel + 2 * g;
        float2 out = kSplitWarps > 1 ? make_float2(relay[at * 32], relay[(at + 2) * 32])
                                     : make_float2(sums[at], sums[at + 2]);
        float2* to = reinterpret_cast<float2*>(a.out + static_cast<std::size_t>(row) * a.out_stride + output);
        if (a.accumulate) out = make_float2(to->x + out.x, to->y + out.y);
        if (a.bias != nullptr) out = make_float2(out.x + a.bias[output], out.y + a.bias[output + 1]);
        *to = out;
      }
  }
}

/// Products of weights stored as floats, of T bytes each: chains of fused multiply-adds, which are added up in order
/// where they are shorter than a row (kChain inputs). A thread has one output and kRows rows.
/// Grid: tiles of rows, groups of eight panels.
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
    return __uint_as_float(static_cast<std::uint32_t>(reinterpret_cast<const std::uint16_t*>(panels)[i]) << 16);
  }
};

constexpr int kFloatRows = 4;

template <class Weights>
__global__ void __launch_bounds__(128) product_float(ProductArgs a) {
  const int thread = static_cast<int>(threadIdx.x);
  const int panel = static_cast<int>(blockIdx.y) * 8 + thread / 16, output = thread % 16;
  const int first_row = static_cast<int>(blockIdx.x) * kFloatRows;
  if (panel >= a.num_panels) return;
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
      const float w = Weights::at(a.panels, base + static_cast<std::size_t>(k) * 16);
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
    float* to = a.out + static_cast<std::size_t>(first_row + r) * a.out_stride + 16 * panel + output;
    float out = a.accumulate ? *to + sums[r] : sums[r];
    if (a.bias != nullptr) out = out + a.bias[16 * panel + output];
    *to = out;
  }
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
