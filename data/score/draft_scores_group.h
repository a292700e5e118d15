#pragma once

#include <string>
#include <vector>

#include "data/score/draft_scorer.h"
#include "data/store/group_format.h"
#include "data/store/trace_group.h"

namespace outrider::data {

/// The group of a store that holds a draft model's scores: "draft-" and the beginning of its hash, so that
/// those of several draft models are kept apart.
/// @param draft  methods::draft_identity
GroupSpec draft_group(const std::string& draft, const std::string& numerics);

/// The hash of the draft model that made a group; empty for a group of another kind.
std::string draft_of(const GroupSpec& spec);

/// The columns of one shard's traces, in order, as GroupWriter takes them.
class DraftColumns {
 public:
  void add(const DraftScores& scores);
  std::vector<std::span<const std::byte>> bytes() const;

 private:
  DraftScores all_;
};

/// The scores of one shard's traces, one after the other.
/// @throws InputError for a damaged file
DraftScores read_draft_scores(const TraceGroup& group, int shard);

}  // namespace outrider::data
