#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/gsd/recorded_tree.h"
#include "runtime/draft/gsd/node_ranking.h"
#include "runtime/draft/model/tree_passes.h"

namespace outrider::calibrate {

/// What trees are recorded up to.
struct RecordingLimits {
  int children = 6;           // of every expanded node
  double probability = 0.05;  // the least of an expanded node, after its path
  int steps = 10;             // levels
  int nodes = 1024;           // at most; the least probable paths are cut
};

/// The trees after consecutive positions of an answer.
struct RecordedStretch {
  const Answer* answer = nullptr;
  std::size_t first = 0;            // the position of the first token that is drafted
  std::vector<RecordedTree> trees;  // [positions] from there on
};

/// Records what a draft model would draft after the texts of answers, without decoding: first the path
/// of its best tokens, whatever their probability, then the nodes that pass the largest thresholds, then those that
/// pass smaller ones.
class TreeRecorder {
 public:
  /// @param draft         of the draft model
  /// @param head_tokens   as Model::head_tokens
  TreeRecorder(const std::shared_ptr<engine::Engine>& draft, const std::vector<Token>& head_tokens,
               int target_vocab, const RecordingLimits& limits);

  /// Called with every tree of a stretch once it is recorded, and the draft model's logits.
  /// @param logits  [nodes of the tree][draft vocabulary]; empty for leaves
  using OnTree = std::function<void(RecordedStretch& stretch, std::size_t position,
                                    std::span<const std::vector<float>> logits)>;

  /// @param answer      must outlive the record
  /// @param first, end  positions of tokens of the answer that follow its first one
  RecordedStretch record(const Answer& answer, std::size_t first, std::size_t end,
                         const OnTree& on_tree = {});
  /// A tree of this draft model without nodes below the root.
  RecordedTree empty_tree() const { return RecordedTree(none_); }
  /// The last position after which trees can be recorded: the draft model has a context.
  std::size_t last_position() const;

 private:
  struct Waiting {
    bool is_chain;   // below the root only best tokens
    double least_q;  // of a node of its path, after the one above: what settings prune by
    double log_path;
    int node;
    bool operator<(const Waiting& other) const;
  };
  RecordedTree record_one(const draft::DraftContext& context);
  void expand(RecordedTree& tree, const Waiting& above, const engine::LogitsRow& row);
  void forward_best(RecordedTree& tree);
  bool has_room(const RecordedTree& tree, std::size_t expanding) const;

  RecordingLimits limits_;
  double least_;  // logarithm of the least probability
  draft::TreePasses passes_;
  draft::NodeRanking ranking_;
  draft::KeptLogits none_;
  std::vector<Waiting> waiting_;  // a heap
  std::vector<Waiting> best_;
  std::vector<draft::TreePasses::Node> forwarded_;
  std::vector<int> rows_;  // of each node in the draft's cache
  bool keeps_logits_ = false;
  std::vector<std::vector<float>> logits_;  // of the tree's nodes, if kept
};

}  // namespace outrider::calibrate
