#include "runtime/certify/certificate_case.h"

#include <algorithm>

namespace outrider::certify {
namespace {

CertifiedSequence random_sequence(Random& random, const CaseLimits& limits, int vocab) {
  CertifiedSequence s;
  const auto token = [&] { return static_cast<Token>(between(random, 0, vocab - 1)); };
  s.text.resize(static_cast<std::size_t>(between(random, 1, limits.context)));
  for (Token& t : s.text) t = token();
  const int rows = between(random, 1, limits.rows);
  const int branching = between(random, 1, 8);  // 1: a chain
  for (int i = 0; i < rows; ++i) {
    s.tree.push_back(token());
    s.parents.push_back(std::max(-1, i - between(random, 1, branching)));
  }
  for (int row = between(random, rows / 2, rows - 1); row >= 0;
       row = s.parents[static_cast<std::size_t>(row)])
    s.path.insert(s.path.begin(), row);
  s.next = token();
  s.cut = between(random, 0, s.text_size() - 1);
  return s;
}

}  // namespace

std::vector<int> CertifiedSequence::children(int parent) const {
  std::vector<int> rows;
  for (int i = parent + 1; i < tree_size(); ++i)
    if (parents[static_cast<std::size_t>(i)] == parent) rows.push_back(i);
  return rows;
}

CaseLimits CaseLimits::within(int most) const {
  const int fitting = std::clamp(most / 2 - 1, 1, rows);
  return {std::clamp(most - fitting - 1, 1, context), fitting};
}

std::vector<CertifiedSequence> random_case(Random& random, const CaseLimits& limits, int vocab) {
  std::vector<CertifiedSequence> sequences = {random_sequence(random, limits, vocab)};
  const bool many = one_in(random, 4);
  const int neighbours = many ? kMostSequences - 1 : between(random, 0, 2);
  const CaseLimits smaller =
      many ? CaseLimits{std::min(limits.context, 12), std::min(limits.rows, 3)}
           : CaseLimits{(limits.context + 7) / 8, (limits.rows + 5) / 6};
  for (int i = 0; i < neighbours; ++i) {
    CertifiedSequence s = random_sequence(random, smaller, vocab);
    if (one_in(random, 2)) {
      const std::vector<Token>& first = sequences.front().text;
      s.shared = between(random, 1, std::min(s.text_size(), static_cast<int>(first.size())));
      std::copy_n(first.begin(), s.shared, s.text.begin());
    }
    sequences.push_back(std::move(s));
  }
  return sequences;
}

}  // namespace outrider::certify
