#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "runtime/certify/certificate.h"
#include "runtime/certify/certificate_case.h"
#include "runtime/certify/one_by_one.h"
#include "runtime/certify/scored_rows.h"
#include "runtime/engine/engine.h"

namespace outrider::certify {

/// Forwards all sequences of a case together and compares every row with OneByOne: texts in random
/// chunks, or their shared prefix copied from the first; trees in one pass or in several that hold
/// their rows, rows in a random order; some rows given as states; random requests.
class BatchedPasses {
 public:
  /// @param all_requested  every pass requests everything, so that the first difference is located
  ///                       exactly
  /// @param before_pass    must outlive it
  BatchedPasses(engine::Engine& engine, const std::vector<CertifiedSequence>& sequences,
                const std::vector<OneByOne>& references, const BeforePass& before_pass,
                bool all_requested, Random& random, CertifyCounts& counts);

  /// The first difference; empty: none.
  std::string compare();

 private:
  /// The expected bits of a row of the pass, and its name in messages.
  struct Expected {
    const RowBits* bits;
    const char* kind;
    int index;
  };
  /// The pass and row in which a node of a tree was forwarded.
  struct ForwardedNode {
    int pass = 0;    // which of the tree's passes; from 1
    int row = 0;     // of that pass
    int number = 0;  // in the cache
  };
  /// A node whose parent is in a pass already.
  struct Ready {
    std::size_t sequence;
    int node;
  };

  void begin_pass();
  int add(std::size_t sequence, Token token, int parent, const Expected& expected);
  engine::TapRequest random_request();
  /// Forwards the pass and compares its rows. The pass is kept for compare_attention.
  std::string forward_and_compare();
  /// Compares the attention of a committed row.
  std::string compare_attention(int row);

  std::string forward_texts();
  std::string copy_prefix(std::size_t sequence);
  std::string commit_texts();
  std::string forward_trees(bool whole);
  void add_node(const Ready& ready, std::vector<Ready>& next);
  std::string commit_paths();
  std::string forward_next();
  std::string truncate_and_continue();
  /// Adds up to `count` rows of a text that follow its committed tokens.
  void add_text(std::size_t sequence, int count);
  const RowBits& reference_of(const Ready& node) const;

  engine::Engine& engine_;
  const std::vector<CertifiedSequence>& sequences_;
  const std::vector<OneByOne>& references_;
  const BeforePass& before_pass_;
  bool all_requested_;
  Random& random_;
  CertifyCounts& counts_;
  ScoredRows scored_;
  std::vector<std::unique_ptr<engine::KvCache>> caches_;
  engine::Pass pass_;
  std::vector<Expected> expected_;                     // for the rows of the pass
  std::deque<std::vector<float>> states_;              // of the rows that are given as states
  std::vector<int> rows_of_;                           // [sequences] in the pass
  std::vector<std::vector<ForwardedNode>> forwarded_;  // [sequences][nodes] of trees
  int tree_passes_ = 0;
  int every_ = 1;  // about one row in `every_` wants logits
};

}  // namespace outrider::certify
