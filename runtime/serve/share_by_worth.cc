#include "runtime/serve/share_by_worth.h"

#include <algorithm>
#include <vector>

namespace outrider::serve {
namespace {

/// So often a sequence drafts a little even where that is worth nothing: texts change.
constexpr int kPassesBetweenTries = 16;
constexpr int kTriedNodes = 2;
/// Drafted tokens, half of them accepted, that every text is taken to begin with.
constexpr double kPriorDrafted = 4;

/// The share of a sequence's drafted tokens that are accepted.
double acceptance(const decode::DecodeStats& stats) {
  return (stats.accepted + kPriorDrafted / 2) / (stats.drafted + kPriorDrafted);
}

}  // namespace

void share_by_worth(std::span<decode::RowShare> sequences, int rows,
                    const std::function<double(int rows)>& seconds) {
  if (sequences.size() < 2) {
    for (decode::RowShare& one : sequences) one.nodes = std::min(one.nodes, rows);
    return;
  }
  struct Offer {
    double accepted;  // probability of each token after those before it
    double next;      // of the next one together with them
    int nodes;        // given so far
  };
  std::vector<Offer> offers;
  for (const decode::RowShare& one : sequences) {
    const double accepted = acceptance(*one.stats);
    offers.push_back({accepted, accepted, 0});
  }
  int width = static_cast<int>(sequences.size());  // a row for the last token of each
  double tokens = width, time = seconds(width);
  for (int given = 0; given < rows; ++given) {
    std::size_t best = offers.size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (offers[i].nodes >= sequences[i].nodes) continue;
      if (best == offers.size() || offers[i].next > offers[best].next) best = i;
    }
    if (best == offers.size()) break;
    const double more = tokens + offers[best].next, later = seconds(width + 1);
    if (more / later <= tokens / time) break;
    tokens = more;
    time = later;
    ++width;
    ++offers[best].nodes;
    offers[best].next *= offers[best].accepted;
  }
  int left = rows - (width - static_cast<int>(sequences.size()));
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const bool tries = sequences[i].stats->passes % kPassesBetweenTries == kPassesBetweenTries - 1;
    int nodes = offers[i].nodes;
    if (tries && nodes < kTriedNodes && left >= kTriedNodes) {
      left -= kTriedNodes - nodes;
      nodes = kTriedNodes;
    }
    sequences[i].nodes = std::min(sequences[i].nodes, nodes);
  }
}

}  // namespace outrider::serve
