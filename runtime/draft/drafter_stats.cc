#include "runtime/draft/drafter_stats.h"

#include <algorithm>

#include "runtime/draft/drafter.h"

namespace outrider::draft {

DrafterStats::DrafterStats() {
  constexpr std::size_t kUsual = 4;
  entries_.reserve(kUsual);
}

void DrafterStats::add(const TokenTree& tree, std::span<const int> path, double verify_seconds,
                       double sample_seconds, double other_seconds) {
  for (Entry& entry : entries_) entry.nodes = 0;
  for (int node = 1; node < tree.size(); ++node)
    if (!tree.is_refused(node)) ++of(tree.origin(node).drafter).nodes;
  for (const int node : path.subspan(1)) ++of(tree.origin(node).drafter).results.accepted;
  const bool is_plain = tree.num_sent() == 0;
  if (is_plain) of(nullptr).nodes = 1;
  for (auto& [drafter, results, nodes] : entries_) {
    if (nodes == 0) continue;
    const double share = is_plain ? 1 : static_cast<double>(nodes) / tree.num_sent();
    ++results.passes;
    results.drafted += is_plain ? 0 : nodes;
    results.verify_seconds += share * verify_seconds;
    results.sample_seconds += share * sample_seconds;
    results.other_seconds += share * other_seconds;
  }
}

std::vector<DrafterResults> DrafterStats::results() const {
  std::vector<DrafterResults> all;
  for (const Entry& entry : entries_) {
    all.push_back(entry.results);
    all.back().name = entry.drafter == nullptr ? kNoDrafter : entry.drafter->name();
  }
  return all;
}

DrafterStats::Entry& DrafterStats::of(const Drafter* drafter) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.drafter == drafter; });
  if (found != entries_.end()) return *found;
  entries_.push_back({drafter, {}, 0});
  return entries_.back();
}

}  // namespace outrider::draft
