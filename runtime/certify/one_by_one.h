#pragma once

#include <memory>
#include <vector>

#include "runtime/certify/certificate_case.h"
#include "runtime/certify/row_bits.h"
#include "runtime/certify/scored_rows.h"
#include "runtime/engine/engine.h"

namespace outrider::certify {

/// The reference for a sequence: every row of the text and of the tree decoded alone, the tree
/// depth first with truncation on the way back.
class OneByOne {
 public:
  /// @param before_pass  must outlive it
  OneByOne(engine::Engine& engine, ScoredRows& scored, const CertifiedSequence& sequence,
           const BeforePass& before_pass);

  std::vector<RowBits> text;
  std::vector<RowBits> tree;
  RowBits next;

 private:
  void walk(int parent);
  RowBits step(Token token);

  engine::Engine& engine_;
  ScoredRows& scored_;
  const CertifiedSequence& sequence_;
  const BeforePass& before_pass_;
  std::unique_ptr<engine::KvCache> cache_;
};

}  // namespace outrider::certify
