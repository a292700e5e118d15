#include "calibrate/gsd/redundancy.h"

#include <algorithm>
#include <tuple>

#include "calibrate/gsd/gsd_search.h"
#include "runtime/base/math.h"

namespace outrider::calibrate {
namespace {

using draft::DraftGraph;

double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += math::exp(logit - largest);
  return largest + math::log(sum);
}

/// KL(softmax(p) || softmax(q)) in nats.
double divergence_of(std::span<const float> p, std::span<const float> q) {
  const double of_p = log_sum_exp(p), of_q = log_sum_exp(q);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double log_p = p[i] - of_p;
    sum += math::exp(log_p) * (log_p - (q[i] - of_q));
  }
  return sum;
}

/// Whether both nodes end the same `run` drafted tokens.
bool same_run(const DraftGraph& tree, int a, int b, int run) {
  if (std::min(tree.depth(a), tree.depth(b)) < run) return false;
  for (; run > 0; --run, a = tree.parent(a), b = tree.parent(b))
    if (tree.token(a) != tree.token(b)) return false;
  return true;
}

/// Whether one is above the other, or is it.
bool same_branch(const DraftGraph& tree, int a, int b) {
  if (tree.depth(a) > tree.depth(b)) std::swap(a, b);
  while (tree.depth(b) > tree.depth(a)) b = tree.parent(b);
  return a == b;
}

void add_repeated(const DraftGraph& tree, Redundancy& sums) {
  for (std::size_t n = 1; n <= sums.repeated_nodes.size(); ++n) {
    const int run = static_cast<int>(n);
    std::vector<bool> repeated(static_cast<std::size_t>(tree.size()));
    for (int a = 1; a < tree.size(); ++a) {
      for (int b = 1; b < tree.size(); ++b) {
        if (!same_run(tree, a, b, run) || same_branch(tree, a, b)) continue;
        int node = a;
        for (int i = 0; i < run; ++i, node = tree.parent(node))
          repeated[static_cast<std::size_t>(node)] = true;
        break;
      }
    }
    sums.repeated_nodes[n - 1] += std::count(repeated.begin(), repeated.end(), true);
  }
}

/// Open nodes but the root, in the order in which they were opened.
std::vector<int> opened_nodes(const DraftGraph& tree) {
  std::vector<int> opened;
  for (int node = 1; node < tree.size(); ++node)
    if (tree.is_open(node)) opened.push_back(node);
  std::sort(opened.begin(), opened.end(), [&tree](int a, int b) {
    return std::tuple(tree.depth(a), -tree.log_path(a), a) <
           std::tuple(tree.depth(b), -tree.log_path(b), b);
  });
  return opened;
}

}  // namespace

RedundancyStudy::RedundancyStudy(draft::NodeRanking& ranking, int most_children)
    : ranking_(ranking) {
  for (int children = 2; children <= most_children; ++children) {
    found_.emplace_back();
    found_.back().children = children;
  }
}

void RedundancyStudy::add(RecordedStretch& stretch, std::size_t position,
                          std::span<const std::vector<float>> logits) {
  for (Redundancy& sums : found_) {
    GsdSetting setting = kPublished;
    setting.children = sums.children;
    setting.tau = 0;
    GsdReplay replay(setting, ranking_);
    replay.round(stretch, position, position + 1);
    const DraftGraph& tree = replay.graph();
    ++sums.trees;
    sums.nodes += tree.num_drafted();
    add_repeated(tree, sums);

    const std::vector<int> opened = opened_nodes(tree);
    const auto after = [&](int node) -> std::span<const float> {
      return logits[static_cast<std::size_t>(replay.record_of(node))];
    };
    for (std::size_t tau = 0; tau < sums.merging.size(); ++tau) {
      for (std::size_t i = 0; i < opened.size(); ++i) {
        if (after(opened[i]).empty()) continue;  // the recorded tree was cut
        const auto like =
            std::find_if(opened.begin(), opened.begin() + std::ptrdiff_t(i), [&](int earlier) {
              return same_run(tree, opened[i], earlier, static_cast<int>(tau)) &&
                     !same_branch(tree, opened[i], earlier) && !after(earlier).empty();
            });
        if (like == opened.begin() + std::ptrdiff_t(i)) continue;
        ++sums.merging[tau].nodes;
        sums.merging[tau].divergence += divergence_of(after(opened[i]), after(*like));
      }
    }
  }
}

}  // namespace outrider::calibrate
