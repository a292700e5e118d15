#pragma once

#include "runtime/base/math.h"
#include "runtime/base/weight_units.h"
#include "runtime/engine/cuda/row_logits.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// The first tokens of a ranking, without ranking them. A block of threads has a row.

constexpr int kRowThreads = 512;

/// Numbers in the order of doubles.
DEVICE std::uint64_t key_of(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);  // one zero
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
DEVICE bool is_within(const Boundary& boundary, double score, int token) {
  const std::uint64_t key = key_of(score);
  return key > boundary.key || (key == boundary.key && token <= boundary.token);
}

/// Candidates of a row, in no order. All threads of the block call each function together.
class Candidates {
 public:
  DEVICE Candidates(const ReadArgs& a, const ReadRow& row)
      : all_(a.candidates + static_cast<std::size_t>(row.candidates) * a.width), width_(a.width) {}

  /// Gathers the tokens that `take` takes, each with what it counts for.
  /// @param score_of  (token) -> double
  /// @param take      (score) -> bool
  /// @param units_of  (score) -> int64
  template <class ScoreOf, class Take, class UnitsOf>
  DEVICE void gather(const ScoreOf& score_of, const Take& take, const UnitsOf& units_of) const {
    __syncthreads();  // the count before has been read
    if (threadIdx.x == 0) count() = 0;
    __syncthreads();
    for (int i = thread(); i < width_; i += kRowThreads) {
      const double score = score_of(i);
      if (take(score)) all_[atomicAdd(&count(), 1)] = {score, units_of(score), i};
    }
    __syncthreads();
  }

  /// Calls visit(candidate) for the calling thread's share of them, which is always the same.
  template <class Visit>
  DEVICE void visit(const Visit& visit) const {
    const int all = count();
    for (int i = thread(); i < all; i += kRowThreads) visit(all_[i]);
  }

  /// Of what those that `take`, (candidate) -> bool, takes count for.
  template <class Take>
  DEVICE std::int64_t sum(const Take& take) const {
    std::int64_t mine = 0;
    visit([&](const Candidate& one) { mine += take(one) ? one.units : 0; });
    return sum_of_block(mine);
  }
  DEVICE std::int64_t sum() const {
    return sum([](const Candidate&) { return true; });
  }

  /// The shortest run of candidates, best first, whose sum is enough; all, where no sum is.
  /// @param enough  (sum) -> bool, monotone
  template <class Enough>
  DEVICE Boundary shortest_run(const Enough& enough) const {
    return count() <= kFew ? run_of_few(enough) : run_of_many(enough);
  }

  /// What takes all.
  DEVICE static Boundary everything() { return {0, kMostToken}; }

 private:
  static constexpr int kFew = 1024;
  static constexpr int kTokenBits = 24;  // of the largest vocabulary (model::limits::kVocab)
  static constexpr int kMostToken = (1 << kTokenBits) - 1;
  static constexpr int kDigitBits = 8;  // that divide those of keys and of tokens
  static constexpr int kDigits = 1 << kDigitBits, kNoDigit = -1;

  /// Each candidate alone: it belongs to the run if those that rank before it are not enough.
  template <class Enough>
  DEVICE Boundary run_of_few(const Enough& enough) const {
    const int all = count();
    // The one that ranks last, as the best in the opposite order.
    ScoredToken last{kNever, kNoToken};
    visit([&](const Candidate& one) {
      std::int64_t before = 0;
      for (int i = 0; i < all; ++i) {
        const Candidate& other = all_[i];
        if (other.score > one.score || (other.score == one.score && other.token < one.token))
          before += other.units;
      }
      if (!enough(before)) last = better(last, {-one.score, -one.token});
    });
    last = best_of_block(last);
    return {key_of(-last.score), -last.token};
  }

  /// Digit by digit the largest score, and then the lowest id, with which there are enough.
  template <class Enough>
  DEVICE Boundary run_of_many(const Enough& enough) const {
    std::uint64_t key = 0;   // its digits so far
    std::int64_t above = 0;  // what those count for whose digits are larger
    for (int shift = 64 - kDigitBits; shift >= 0; shift -= kDigitBits) {
      sum_digits([&](const Candidate& one) {
        const std::uint64_t digits = key_of(one.score) >> shift;
        return digits >> kDigitBits == key ? static_cast<int>(digits % kDigits) : kNoDigit;
      });
      int digit = kDigits - 1;
      while (digit >= 0 && !enough(above + sum_of(digit))) above += sum_of(digit--);
      if (digit < 0) return everything();
      key = key << kDigitBits | static_cast<std::uint64_t>(digit);
    }
    // Among those of one score the lowest ids.
    int token = 0;
    for (int shift = kTokenBits - kDigitBits; shift >= 0; shift -= kDigitBits) {
      sum_digits([&](const Candidate& one) {
        const int digits = one.token >> shift;
        return key_of(one.score) == key && digits >> kDigitBits == token ? digits % kDigits
                                                                         : kNoDigit;
      });
      int digit = 0;
      while (digit < kDigits - 1 && !enough(above + sum_of(digit))) above += sum_of(digit++);
      token = token << kDigitBits | digit;
    }
    return {key, token};
  }

  /// What candidates count for by a digit of theirs.
  /// @param digit_of  (candidate) -> int; kNoDigit: it does not count
  template <class DigitOf>
  DEVICE void sum_digits(const DigitOf& digit_of) const {
    __syncthreads();  // the sums before have been read
    for (int i = thread(); i < kDigits; i += kRowThreads) digit_sums()[i] = 0;
    __syncthreads();
    visit([&](const Candidate& one) {
      const int digit = digit_of(one);
      if (digit != kNoDigit)
        atomicAdd(&digit_sums()[digit], static_cast<unsigned long long>(one.units));
    });
    __syncthreads();
  }
  DEVICE static std::int64_t sum_of(int digit) {
    return static_cast<std::int64_t>(digit_sums()[digit]);
  }

  DEVICE static int thread() { return static_cast<int>(threadIdx.x); }
  DEVICE static int& count() {
    __shared__ int count;
    return count;
  }
  DEVICE static unsigned long long* digit_sums() {
    __shared__ unsigned long long sums[kDigits];
    return sums;
  }

  Candidate* all_;
  int width_;
};

/// How many scores lie in each quarter below 0; the last has everything beyond.
class Quarters {
 public:
  static constexpr int kCount = 256;

  DEVICE static int of(double score) {
    const double quarters = score * -4.0;
    return quarters < kCount - 1 ? static_cast<int>(quarters) : kCount - 1;
  }

  /// Counts the scores of tokens [0, width) that `take` takes. All threads take part.
  template <class ScoreOf, class Take>
  DEVICE static void count(const ScoreOf& score_of, int width, const Take& take) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kCount; i += kRowThreads) counts()[i] = 0;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < width; i += kRowThreads) {
      const double score = score_of(i);
      if (take(score)) atomicAdd(&counts()[of(score)], 1);
    }
    __syncthreads();
  }
  DEVICE static int in(int quarter) { return counts()[quarter]; }

  /// The first quarter with which there are so many.
  DEVICE static int with(int tokens) {
    int quarter = 0;
    for (int sum = counts()[0]; quarter < kCount - 1 && sum < tokens; sum += counts()[quarter])
      ++quarter;
    return quarter;
  }

 private:
  DEVICE static int* counts() {
    __shared__ int counts[kCount];
    return counts;
  }
};

// Top-p counts probability in whole units (sampling::Nucleus).
constexpr double kUnlikely = -16.0;

DEVICE std::int64_t units_of(double score) { return units_of_weight(math::exp(score)); }

/// The shortest run of candidates, not empty, that has these units together.
DEVICE Boundary run_of(const Candidates& candidates, double units) {
  return candidates.shortest_run(
      [&](std::int64_t sum) { return sum > 0 && static_cast<double>(sum) >= units; });
}
/// The nucleus of candidates alone.
DEVICE Boundary cut(const Candidates& candidates, double p) {
  return run_of(candidates, p * static_cast<double>(candidates.sum()));
}

/// The nucleus of a row. First among its likely tokens, with bounds on the probability of the others; where these do not
/// decide, with that probability; where the run extends beyond, among all.
DEVICE Boundary nucleus(const ChoiceScores& scores, const ReadRow& row,
                        const Candidates& candidates, int width) {
  const double p = row.top_p;
  const auto score_of = [&](int token) { return scores[token]; };
  candidates.gather(
      score_of, [](double score) { return score >= kUnlikely; },
      [](double score) { return units_of(score); });
  const auto total = static_cast<double>(candidates.sum());
  Quarters::count(score_of, width, [](double score) { return score < kUnlikely; });
  double least = 0, most = 0, tokens = 0;
  if (const int quarter = static_cast<int>(threadIdx.x); quarter < Quarters::kCount) {
    tokens = Quarters::in(quarter);
    most = tokens * math::exp(quarter / -4.0) * kUnitsOfBest;
    if (quarter + 1 < Quarters::kCount)
      least = tokens * math::exp((quarter + 1) / -4.0) * kUnitsOfBest;
  }
  least = sum_of_block(least);
  most = sum_of_block(most);
  tokens = sum_of_block(tokens);
  // Every token may be rounded by half a unit, and a sum of up to 2^62 units by 512 as a double.
  const double rounding = 0.5 * tokens + 1024;
  most = most * (1 + 1e-9) + rounding;
  least = least * (1 - 1e-9) - rounding;
  least = least > 0 ? least : 0;
  const double perhaps_enough = p * (total + least), surely_enough = p * (total + most);
  if (total >= perhaps_enough) {
    const Boundary run = run_of(candidates, perhaps_enough);
    const std::int64_t reached =
        candidates.sum([&](const Candidate& one) { return is_within(run, one.score, one.token); });
    if (static_cast<double>(reached) >= surely_enough) return run;
  }
  std::int64_t mine = 0;
  for (int i = static_cast<int>(threadIdx.x); i < width; i += kRowThreads)
    if (const double score = scores[i]; score < kUnlikely) mine += units_of(score);
  const std::int64_t unlikely = sum_of_block(mine);
  const double enough = p * (total + static_cast<double>(unlikely));
  if (total >= enough) return run_of(candidates, enough);
  candidates.gather(
      score_of, [](double score) { return score > kNever; },
      [](double score) { return units_of(score); });
  return cut(candidates, p);
}

/// Gathers what the filters of a row leave, up to the boundary that is returned, and perhaps more.
DEVICE Boundary filtered(const ChoiceScores& scores, const ReadRow& row,
                         const Candidates& candidates, int width) {
  const auto score_of = [&](int token) { return scores[token]; };
  if (row.top_k > 0) {
    Quarters::count(score_of, width, [](double score) { return score > kNever; });
    const int last = Quarters::with(row.top_k);
    candidates.gather(
        score_of, [&](double score) { return score > kNever && Quarters::of(score) <= last; },
        [](double) { return 1; });
    const Boundary best =
        candidates.shortest_run([&](std::int64_t sum) { return sum >= row.top_k; });
    if (!(row.top_p < 1)) return best;
    candidates.visit([&](Candidate& one) {
      one.units = is_within(best, one.score, one.token) ? units_of(one.score) : 0;
    });
    return cut(candidates, row.top_p);
  }
  if (row.top_p < 1) return nucleus(scores, row, candidates, width);
  candidates.gather(
      score_of, [&](double score) { return score > kNever && score >= row.lowest; },
      [](double) { return 1; });
  return Candidates::everything();
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
