#include "calibrate/answers/followers_counter.h"

#include <algorithm>
#include <tuple>

namespace outrider::calibrate {
namespace {

std::uint64_t key_of(Token before, Token token) {
  return static_cast<std::uint64_t>(before) << 32 | static_cast<std::uint64_t>(token);
}

}  // namespace

FollowersCounter::FollowersCounter(int vocab) : occurrences_(static_cast<std::size_t>(vocab)) {}

void FollowersCounter::add(const Answer& answer) {
  const auto begin = static_cast<std::size_t>(answer.prompt);
  for (std::size_t t = begin; t < answer.tokens.size(); ++t) {
    if (answer.loops_at(t)) continue;
    ++tokens_;
    ++occurrences_.at(static_cast<std::size_t>(answer.tokens[t]));
    if (t > begin && !answer.loops_at(t - 1))
      ++pairs_[key_of(answer.tokens[t - 1], answer.tokens[t])];
  }
}

double FollowersCounter::share(int least_count) const {
  std::int64_t all = 0, kept = 0;
  for (const auto& [key, count] : pairs_) {
    all += count;
    if (count >= least_count) kept += count;
  }
  return all == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(all);
}

draft::Followers FollowersCounter::followers(int least_count) const {
  std::vector<draft::Followers::Pair> kept;
  for (const auto& [key, count] : pairs_)
    if (count >= least_count)
      kept.push_back({static_cast<Token>(key >> 32), static_cast<Token>(key & 0xffffffff), count});
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return std::tie(a.before, a.token) < std::tie(b.before, b.token);
  });
  return {occurrences_, kept};
}

}  // namespace outrider::calibrate
