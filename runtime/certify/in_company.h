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

/// The same as OneByOne in company: all sequences of a case together, their texts in random chunks, or
/// copied from the first as far as they are the same; their trees in one pass or in several that hold
/// their rows, all rows in a random order; some rows as states; random requests.
class InCompany {
 public:
  /// @param all_requested  everything is requested of every pass: what differs is named closely
  InCompany(engine::Engine& engine, const std::vector<CertifiedSequence>& sequences,
            const std::vector<OneByOne>& truths, bool all_requested, Random& random,
            CertifyCounts& counts);

  /// What differs first, or nothing.
  std::string compare();

 private:
  /// What a row of the pass must be, and what it is called.
  struct Expected {
    const RowBits* bits;
    const char* kind;
    int index;
  };
  /// Where a node of a tree went.
  struct Place {
    int pass = 0;    // which of the tree's; from 1
    int row = 0;     // of that pass
    int number = 0;  // in the cache
  };
  /// A node whose parent has gone into a pass.
  struct Ready {
    std::size_t sequence;
    int node;
  };

  void begin_pass();
  int add(std::size_t sequence, Token token, int parent, const Expected& expected);
  engine::TapRequest random_request();
  /// Forwards the pass and compares its rows. It stays, to be asked for attention.
  std::string forward_and_compare();
  /// Compares the attention of a row that has been committed.
  std::string compare_attention(int row);

  std::string forward_texts();
  std::string copy_prefix(std::size_t sequence);
  std::string commit_texts();
  std::string forward_trees(bool whole);
  void add_node(const Ready& ready, std::vector<Ready>& next);
  std::string commit_paths();
  std::string forward_next();
  std::string cut_and_go_on();
  /// A text's rows from what is committed on, as far as `count` tokens go.
  void add_text(std::size_t sequence, int count);
  const RowBits& truth_of(const Ready& node) const;

  engine::Engine& engine_;
  const std::vector<CertifiedSequence>& sequences_;
  const std::vector<OneByOne>& truths_;
  bool all_requested_;
  Random& random_;
  CertifyCounts& counts_;
  ScoredRows scored_;
  std::vector<std::unique_ptr<engine::KvCache>> caches_;
  engine::Pass pass_;
  std::vector<Expected> expected_;          // of its rows
  std::deque<std::vector<float>> states_;   // of those that are given as states
  std::vector<int> rows_of_;                // [sequences] in the pass
  std::vector<std::vector<Place>> places_;  // [sequences][nodes] of trees
  int tree_passes_ = 0;
  int every_ = 1;  // about one row in so many wants logits
};

}  // namespace outrider::certify
