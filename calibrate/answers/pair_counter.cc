#include "calibrate/answers/pair_counter.h"

#include <algorithm>
#include <tuple>

namespace outrider::calibrate {
namespace {

// The numbers of a journal: that of all tokens, then triples of a token, the one after it, and how often that was; of how
// often a token was at all, kAlone stands in place of the first.
constexpr std::size_t kEach = 3;
constexpr Token kAlone = -1;

std::uint64_t key_of(Token before, Token token) {
  return static_cast<std::uint64_t>(before) << 32 | static_cast<std::uint64_t>(token);
}

}  // namespace

PairCounter::PairCounter(int vocab) : occurrences_(static_cast<std::size_t>(vocab)) {}

void PairCounter::add(const Answer& answer) {
  const auto begin = static_cast<std::size_t>(answer.prompt);
  for (std::size_t t = begin; t < answer.tokens.size(); ++t) {
    if (answer.loops_at(t)) continue;
    ++tokens_;
    ++occurrences_.at(static_cast<std::size_t>(answer.tokens[t]));
    if (t > begin && !answer.loops_at(t - 1))
      ++pairs_[key_of(answer.tokens[t - 1], answer.tokens[t])];
  }
}

std::vector<std::int32_t> PairCounter::numbers() const {
  std::vector<std::int32_t> all = {static_cast<std::int32_t>(tokens_)};
  for (std::size_t token = 0; token < occurrences_.size(); ++token)
    if (occurrences_[token] > 0)
      all.insert(all.end(), {kAlone, static_cast<std::int32_t>(token), occurrences_[token]});
  for (const draft::PairCounts::Pair& pair : pairs(1).pairs())
    all.insert(all.end(), {pair.before, pair.token, pair.count});
  return all;
}

bool PairCounter::add(std::span<const std::int32_t> numbers) {
  if (numbers.size() % kEach != 1 || numbers[0] < 0) return false;
  const auto is_token = [&](Token token) {
    return token >= 0 && static_cast<std::size_t>(token) < occurrences_.size();
  };
  const auto each = numbers.subspan(1);
  for (std::size_t i = 0; i < each.size(); i += kEach)
    if ((each[i] != kAlone && !is_token(each[i])) || !is_token(each[i + 1]) || each[i + 2] < 1)
      return false;
  tokens_ += numbers[0];
  for (std::size_t i = 0; i < each.size(); i += kEach) {
    std::int32_t& count = each[i] == kAlone ? occurrences_[static_cast<std::size_t>(each[i + 1])]
                                            : pairs_[key_of(each[i], each[i + 1])];
    count += each[i + 2];
  }
  return true;
}

double PairCounter::share(int least_count) const {
  std::int64_t all = 0, kept = 0;
  for (const auto& [key, count] : pairs_) {
    all += count;
    if (count >= least_count) kept += count;
  }
  return all == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(all);
}

draft::PairCounts PairCounter::pairs(int least_count) const {
  std::vector<draft::PairCounts::Pair> kept;
  for (const auto& [key, count] : pairs_)
    if (count >= least_count)
      kept.push_back({static_cast<Token>(key >> 32), static_cast<Token>(key & 0xffffffff), count});
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return std::tie(a.before, a.token) < std::tie(b.before, b.token);
  });
  return {occurrences_, kept};
}

}  // namespace outrider::calibrate
