#include "tests/calibrate/induction_llama.h"

#include <cmath>
#include <cstring>
#include <random>

#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

// A code is a direction for each token. In a head, codes use the pairs of dimensions that the
// rotation hardly turns, and positions the others.
constexpr int kCode = 32;
constexpr int kHeadWidth = 128;
constexpr int kHalf = kHeadWidth / 2;
constexpr int kStillPairs = kHalf / 2;  // the first of them; the pairs before turn
constexpr float kBase = 1e10f;

// The residual stream: the token's code, those of the two before, and two marks.
constexpr int kOwn = 0;
constexpr int kOneBefore = kCode;
constexpr int kTwoBefore = 2 * kCode;
constexpr int kAlways = 3 * kCode;
constexpr int kFirst = kAlways + 1;
constexpr int kWidth = 4 * kCode;

/// [rows, columns] in float, as GGUF stores it.
class Matrix {
 public:
  Matrix(int rows, int columns)
      : columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {}
  float& at(int row, int column) {
    return values_[static_cast<std::size_t>(row * columns_ + column)];
  }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all(values_.size() * sizeof(float));
    std::memcpy(all.data(), values_.data(), all.size());
    return all;
  }

 private:
  int columns_;
  std::vector<float> values_;
};

/// The rows of one head of a query or key matrix.
class HeadRows {
 public:
  HeadRows(Matrix& matrix, int head) : matrix_(matrix), head_(head) {}

  /// A code of the residual stream, as the i-th code of the head (0 or 1).
  void code(int i, int from, float gain) {
    for (int d = 0; d < kCode; ++d) row(kStillPairs + d % kCode, i).at(from + d) += gain;
  }
  /// The query that prefers keys so many positions before it (see `anywhere`).
  void distance(int positions, float gain) {
    for (int pair = 0; pair < kStillPairs; ++pair) like(pair, positions, gain);
  }
  /// The query that prefers near keys to far ones, evenly: half a turn takes many positions.
  void nearness(float gain) { like(15, -150, gain); }
  /// The key that has only its position.
  void anywhere() { distance(0, 1); }
  /// A mark of the residual stream.
  void mark(int from, float gain) { row(kHalf - 1, 0).at(from) += gain; }

 private:
  void like(int pair, int positions, float gain) {
    const double angle = -positions * std::pow(static_cast<double>(kBase), -pair / (kHalf * 1.0));
    row(pair, 0).at(kAlways) += gain * static_cast<float>(std::cos(angle));
    row(pair, 1).at(kAlways) += gain * static_cast<float>(std::sin(angle));
  }
  struct Row {
    Matrix& matrix;
    int index;
    float& at(int column) { return matrix.at(index, column); }
  };
  /// A pair's first or second dimension; GGUF keeps them side by side.
  Row row(int pair, int half) { return {matrix_, head_ * kHeadWidth + 2 * pair + half}; }

  Matrix& matrix_;
  int head_;
};

}  // namespace

std::vector<std::byte> InductionLlama::gguf() const {
  const TinyShape shape = {.layers = 2,
                           .width = kWidth,
                           .heads = kHeads,
                           .kv_heads = kHeads,
                           .head_width = kHeadWidth,
                           .ffn_width = 32};
  GgufWriter file = tiny_llama_writer(shape, 1, model::WeightType::kF32);
  file.set("llama.rope.freq_base", kBase);
  const auto clear = [&](const std::string& name) -> std::vector<std::byte>& {
    std::vector<std::byte>& data = file.tensor(name).data;
    std::fill(data.begin(), data.end(), std::byte{0});
    return data;
  };

  const int vocab = static_cast<int>(file.tensor("token_embd.weight").shape[1]);
  Matrix embedding(vocab, kWidth);
  std::mt19937_64 random(7);
  for (int token = 0; token < vocab; ++token) {
    for (int d = 0; d < kCode; ++d)
      embedding.at(token, kOwn + d) = random() % 2 == 0 ? 1.0f : -1.0f;
    embedding.at(token, kAlways) = 6;
  }
  embedding.at(0, kFirst) = 6;
  file.tensor("token_embd.weight").data = embedding.bytes();

  for (const char* layer : {"blk.0.", "blk.1."}) {
    const std::string prefix = layer;
    for (const char* norm : {"attn_norm.weight", "ffn_norm.weight"}) {
      std::vector<float> ones(kWidth, 1.0f);
      std::memcpy(clear(prefix + norm).data(), ones.data(), ones.size() * sizeof(float));
    }
    for (const char* unused : {"ffn_gate.weight", "ffn_up.weight", "ffn_down.weight"})
      clear(prefix + unused);
  }

  const int rows = kHeads * kHeadWidth;
  Matrix q1(rows, kWidth), k1(rows, kWidth), v1(rows, kWidth), o1(kWidth, rows);
  for (const int before : {1, 2}) {
    const int head = before - 1;
    HeadRows(q1, head).distance(before, 30);
    HeadRows(k1, head).anywhere();
    for (int d = 0; d < kCode; ++d) {
      v1.at(head * kHeadWidth + d, kOwn + d) = 1;
      o1.at((before == 1 ? kOneBefore : kTwoBefore) + d, head * kHeadWidth + d) = 1;
    }
  }
  file.tensor("blk.0.attn_q.weight").data = q1.bytes();
  file.tensor("blk.0.attn_k.weight").data = k1.bytes();
  file.tensor("blk.0.attn_v.weight").data = v1.bytes();
  file.tensor("blk.0.attn_output.weight").data = o1.bytes();

  Matrix q2(rows, kWidth), k2(rows, kWidth);
  const auto query = [&](Head head) { return HeadRows(q2, head); };
  const auto key = [&](Head head) { return HeadRows(k2, head); };
  query(kPrevious).distance(1, 30);
  key(kPrevious).anywhere();
  query(kSelf).distance(0, 30);
  key(kSelf).anywhere();
  query(kSink).mark(kAlways, 30);
  key(kSink).mark(kFirst, 1);
  // The row's last two tokens are looked for one position before the key, at it, and one after it.
  query(kInduction).code(0, kOwn, 30);
  query(kInduction).code(1, kOneBefore, 30);
  key(kInduction).code(0, kOneBefore, 1);
  key(kInduction).code(1, kTwoBefore, 1);
  query(kTooEarly).code(0, kOwn, 30);
  query(kTooEarly).code(1, kOneBefore, 30);
  query(kTooEarly).distance(0, -0.5f);  // not the row itself
  key(kTooEarly).code(0, kOwn, 1);
  key(kTooEarly).code(1, kOneBefore, 1);
  key(kTooEarly).anywhere();
  query(kTooLate).code(0, kOwn, 30);
  key(kTooLate).code(0, kTwoBefore, 1);
  query(kLatest).code(0, kOwn, 30);
  query(kLatest).nearness(28);
  key(kLatest).code(0, kOneBefore, 1);
  key(kLatest).anywhere();
  file.tensor("blk.1.attn_q.weight").data = q2.bytes();
  file.tensor("blk.1.attn_k.weight").data = k2.bytes();
  clear("blk.1.attn_v.weight");
  clear("blk.1.attn_output.weight");
  return file.bytes();
}

}  // namespace outrider::test
