#pragma once

#include "runtime/engine/cuda/panel_group.cuh"
#include "runtime/engine/cuda/row_fetch.cuh"
#include "runtime/engine/cuda/rows.cuh"
#include "runtime/engine/cuda/weight_block.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// The form of a product of few rows. Of each panel some warps, the makers, find the integer products of blocks, in any
/// order, and others, the adders, add them: a lane has one output of one row, whose chain of additions it runs in the
/// order of blocks. A panel with its makers and adders is a team.
template <Packing P, int rows, int makers, int teams>
struct ChainForm {
  using Block = WeightBlock<P>;
  static constexpr int kRows = rows;  // 2 or 8
  static constexpr int kMakers = makers;
  static constexpr int kAdders = rows / 2;
  static constexpr int kTeams = teams;
  static constexpr int kThreads = 32 * teams * (makers + kAdders);
  /// Blocks of inputs that a maker has in a round: fewer where they are large, or makers many. Quants of two blocks lie
  /// together, and so do the eight blocks of a group.
  static constexpr int kChunk =
      Block::kGroup == 1 && (Block::Layout::kBits == 8 || teams * makers > 4) ? 4 : 8;
  static constexpr int kChunkBytes = kChunk / Block::kGroup * Block::kGroupBytes;
  /// Rounds in shared memory: one that is added, one that is multiplied, and those on their way.
  static constexpr int kStages = 4;
  static constexpr int kAhead = 2;
  using Fetch = RowFetchForm<rows, makers, kChunk, kThreads, !Block::kHasMinimum>;
  static constexpr int kStageBytes = teams * makers * kChunkBytes + makers * Fetch::kGroupBytes;
  /// Blocks whose products a maker finds at once, so that their loads overlap.
  static constexpr int kBatch = 4;
  /// The integer products of a round, as floats: [makers, chunk, rows, 16 outputs].
  static constexpr int kDots = makers * kChunk * rows * 16;
  static constexpr int kSharedBytes = kStages * kStageBytes + 2 * teams * kDots * 4;
};

/// The chains of the panels of a block of threads with up to `kRows` rows.
template <class Form>
class ChainProduct {
 public:
  using Block = typename Form::Block;
  using Fetch = typename Form::Fetch;

  DEVICE ChainProduct(int inputs, const QuantisedRows& x, int first_row, int rows)
      : blocks_(inputs / 32),
        chunks_((blocks_ + Form::kChunk - 1) / Form::kChunk),
        rounds_((chunks_ + Form::kMakers - 1) / Form::kMakers),
        first_row_(first_row),
        rows_(rows - first_row < Form::kRows ? rows - first_row : Form::kRows),
        row_fetch_(x, first_row, rows_),
        lane_(lane_of_thread()) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    is_maker_ = warp < Form::kTeams * Form::kMakers;
    const int number = is_maker_ ? warp : warp - Form::kTeams * Form::kMakers;
    team_ = number / (is_maker_ ? Form::kMakers : Form::kAdders);
    in_team_ = number % (is_maker_ ? Form::kMakers : Form::kAdders);
    shared_ = dynamic_shared<std::uint8_t>();
    dots_ = reinterpret_cast<float*>(shared_ + Form::kStages * Form::kStageBytes);
  }

  DEVICE int team() const { return team_; }
  DEVICE bool is_maker() const { return is_maker_; }
  /// Of an adder: the lane's output of its team's panel, and its row.
  DEVICE int output() const { return lane_ % 16; }
  DEVICE int row() const { return first_row_ + 2 * in_team_ + lane_ / 16; }
  DEVICE bool has_row() const { return 2 * in_team_ + lane_ / 16 < rows_; }

  /// The team's panel; the first weights are read from here on: these are there before the rows are.
  DEVICE void begin(const std::uint8_t* panels, int panel) {
    panel_ = panels + static_cast<std::size_t>(panel) *
                          (static_cast<std::size_t>(blocks_ / Block::kGroup) * Block::kGroupBytes);
    for (int round = 0; round < Form::kAhead; ++round) fetch_weights(round);
  }

  /// The sum of an adder's lane. All threads of the block take part.
  DEVICE float run() const {
    for (int round = 0; round < Form::kAhead; ++round) {
      fetch_rows(round);
      copy_async_commit();
    }
    float sum = 0;
    for (int round = 0; round <= rounds_; ++round) {
      copy_async_wait<Form::kAhead - 1>();
      __syncthreads();  // this round's copies are there, and the last one's products
      fetch_weights(round + Form::kAhead);
      fetch_rows(round + Form::kAhead);
      copy_async_commit();
      if (is_maker_) {
        make(round);
      } else if (round > 0) {
        for (int maker = 0; maker < Form::kMakers; ++maker) add(round - 1, maker, sum);
      }
    }
    copy_async_wait<0>();
    return sum;
  }

 private:
  DEVICE std::uint8_t* stage(int round) const {
    return shared_ + round % Form::kStages * Form::kStageBytes;
  }
  DEVICE std::uint8_t* chunk_at(int round, int maker) const {
    return stage(round) + (team_ * Form::kMakers + maker) * Form::kChunkBytes;
  }
  DEVICE std::uint8_t* rows_at(int round, int maker) const {
    return stage(round) + Form::kTeams * Form::kMakers * Form::kChunkBytes +
           maker * Fetch::kGroupBytes;
  }
  DEVICE float* dots_at(int round, int maker, int i) const {
    return dots_ + (round % 2 * Form::kTeams + team_) * Form::kDots +
           (maker * Form::kChunk + i) * Form::kRows * 16;
  }

  /// A maker's own chunk.
  DEVICE void fetch_weights(int round) const {
    const int chunk = round * Form::kMakers + in_team_;
    if (!is_maker_ || chunk >= chunks_) return;
    std::uint8_t* to = chunk_at(round, in_team_) + 16 * lane_;
    const std::uint8_t* from =
        panel_ + static_cast<std::size_t>(chunk) * Form::kChunkBytes + 16 * lane_;
    const int left = blocks_ - chunk * Form::kChunk;
    if (left >= Form::kChunk) {
#pragma unroll
      for (int i = 0; i < Form::kChunkBytes; i += 512)
        if (i + 512 <= Form::kChunkBytes || i + 16 * lane_ < Form::kChunkBytes)
          copy_async_16(to + i, from + i);
    } else {
      for (int i = 0; i + 16 * lane_ < left / Block::kGroup * Block::kGroupBytes; i += 512)
        copy_async_16(to + i, from + i);
    }
  }

  DEVICE void fetch_rows(int round) const {
    row_fetch_.fetch(round, rows_at(round, 0), blocks_ - round * Form::kMakers * Form::kChunk);
  }

  /// How many blocks a maker's chunk of a round has.
  DEVICE int blocks_of(int round, int maker) const {
    return blocks_ - (round * Form::kMakers + maker) * Form::kChunk;
  }

  /// The integer products of a maker's chunk.
  DEVICE void make(int round) const {
    const int left = blocks_of(round, in_team_);
    if (left >= Form::kChunk) {
#pragma unroll
      for (int i = 0; i < Form::kChunk; i += Form::kBatch) make_blocks<Form::kBatch>(round, i);
    } else {
      for (int i = 0; i < left; ++i) make_blocks<1>(round, i);
    }
  }
  template <int count>
  DEVICE void make_blocks(int round, int first) const {
    const int g = lane_ / 4, t = lane_ % 4;
    const std::uint8_t* rows = rows_at(round, in_team_);
    float dots[count][4];
#pragma unroll
    for (int n = 0; n < count; ++n) {
      const int i = first + n;
      // Columns of the product that are no rows repeat those that are.
      const uint2 inputs = *reinterpret_cast<const uint2*>(
          rows + (i / 2 * Form::kRows + g % Form::kRows) * 64 + 16 * t + i % 2 * 8);
      int4 sums = make_int4(0, 0, 0, 0);
      if constexpr (!Block::kHasMinimum)
        sums = *reinterpret_cast<const int4*>(rows + Fetch::kQuantBytes + Fetch::kScaleBytes +
                                              (i * Form::kRows + 2 * t % Form::kRows) * 8);
      const std::uint8_t* group =
          chunk_at(round, in_team_) + i / Block::kGroup * Block::kGroupBytes;
      const Block block(group, i % Block::kGroup,
                        group + Block::kHeader + i % Block::kGroup * Block::kQuants, g, t);
      block.dots(inputs.x, inputs.y, sums, dots[n]);
    }
    if (2 * t >= Form::kRows) return;
#pragma unroll
    for (int n = 0; n < count; ++n) {
      float* to = dots_at(round, in_team_, first + n) + 2 * t * 16 + 2 * g;
      *reinterpret_cast<float2*>(to) = make_float2(dots[n][0], dots[n][2]);
      *reinterpret_cast<float2*>(to + 16) = make_float2(dots[n][1], dots[n][3]);
    }
  }

  /// What a block adds to the lane's sum: scaled * dot, and then minimum * scaled_sum.
  struct Term {
    float dot;
    float scaled;
    float minimum;
    float scaled_sum;
  };
  DEVICE Term term_of(int round, int maker, int i) const {
    const int row = 2 * in_team_ + lane_ / 16;
    const OutputScale<P> of(chunk_at(round, maker) + i / Block::kGroup * Block::kGroupBytes,
                            i % Block::kGroup, lane_ % 16);
    const float2 of_row = *reinterpret_cast<const float2*>(
        rows_at(round, maker) + Fetch::kQuantBytes + (i * Form::kRows + row) * 8);
    return {dots_at(round, maker, i)[row * 16 + lane_ % 16], of.scale * of_row.x, of.minimum,
            of_row.y};
  }
  DEVICE static void add(const Term& term, float& sum) {
    sum = __fmaf_rn(term.scaled, term.dot, sum);
    if constexpr (Block::kHasMinimum) sum = __fmaf_rn(term.minimum, term.scaled_sum, sum);
  }

  /// Adds the products of a maker's chunk to the lane's sum, in the order of blocks.
  DEVICE void add(int round, int maker, float& sum) const {
    const int left = blocks_of(round, maker);
    if (left >= Form::kChunk) {
      Term terms[Form::kChunk];
#pragma unroll
      for (int i = 0; i < Form::kChunk; ++i) terms[i] = term_of(round, maker, i);
#pragma unroll
      for (int i = 0; i < Form::kChunk; ++i) add(terms[i], sum);
    } else {
      for (int i = 0; i < left; ++i) add(term_of(round, maker, i), sum);
    }
  }

  static constexpr Packing P = Form::Block::kPacking;

  int blocks_;
  int chunks_;
  int rounds_;
  int first_row_;
  int rows_;  // of this tile
  RowFetch<Fetch> row_fetch_;
  int lane_;
  bool is_maker_;
  int team_;
  int in_team_;  // the warp's number among the makers, or adders, of its team
  const std::uint8_t* panel_ = nullptr;
  std::uint8_t* shared_;
  float* dots_;
};

/// A product of few rows. Grid: tiles of rows, groups of panels of all matrices.
template <class Form>
__global__ void __launch_bounds__(Form::kThreads, 1) chain_product(ProductArgs a) {
  const PanelGroup group(a, Form::kTeams);
  const ProductMatrix& matrix = a.matrices[group.matrix];
  ChainProduct<Form> part(a.inputs, a.x.quantised, static_cast<int>(blockIdx.x) * Form::kRows,
                          a.rows);
  const int panel = group.first_panel + part.team();
  const bool there = panel < matrix.num_panels;
  // Past the last panel the last one is read again, and nothing of it is written.
  part.begin(matrix.panels, there ? panel : matrix.num_panels - 1);
  let_next_launch_begin();
  wait_for_launch_before();
  const float sum = part.run();
  if (part.is_maker() || !there || !part.has_row()) return;
  const int output = 16 * panel + part.output();
  float* to = matrix.out + static_cast<std::size_t>(part.row()) * a.out_stride + output;
  float out = a.accumulate ? *to + sum : sum;
  if (matrix.bias != nullptr) out = out + matrix.bias[output];
  *to = out;
}

/// A product of `gate` and one of `up`, of which silu(gate) * up is made and quantised: a block of threads has 32 outputs
/// of each. Grid: tiles of rows, blocks of 32 outputs.
template <class Form>
__global__ void __launch_bounds__(Form::kThreads) gated_chain_product(GatedArgs a) {
  static_assert(Form::kTeams == 4);
  __shared__ float outs[4][Form::kRows][16];
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.y);
  const int first_row = static_cast<int>(blockIdx.x) * Form::kRows;
  ChainProduct<Form> part(a.inputs, a.x.quantised, first_row, a.rows);
  const int team = part.team(), panel = 2 * block + team % 2;
  part.begin(team < 2 ? a.gate : a.up, panel);
  let_next_launch_begin();
  wait_for_launch_before();
  float sum = part.run();
  if (!part.is_maker()) {
    if (team >= 2 && a.up_bias != nullptr) sum = sum + a.up_bias[16 * panel + part.output()];
    outs[team][part.row() - first_row][part.output()] = sum;
  }
  __syncthreads();
  // Eight threads a row and block of 32.
  const int r = thread / 8, first = thread % 8 * 4;
  if (r >= Form::kRows || first_row + r >= a.rows) return;
  const auto out = [&](int n) {
    const int o = first + n;
    return silu_times(outs[o / 16][r][o % 16], outs[2 + o / 16][r][o % 16]);
  };
  write_operand(make_float4(out(0), out(1), out(2), out(3)), 32 * block + first, first_row + r,
                16 * a.num_panels, a.out);
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
