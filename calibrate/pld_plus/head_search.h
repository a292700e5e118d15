#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calibrate/pld_plus/copied_tokens.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// How often each head attended most to the position a token was copied from, in the row before the
/// token.
struct HeadHits {
  std::vector<std::int64_t> hits;  // [layers, heads]
  std::int64_t tokens = 0;         // copied tokens counted

  void add(const HeadHits& other);
};

/// Counts heads over answers: at each token of an answer that occurs in its prompt and is in no
/// loop, the heads whose arg-max over all keys of the row before it is the position it was copied
/// from. PLD+ (Somasundaram et al. 2024), section 4.2.1.
class HeadSearch {
 public:
  explicit HeadSearch(engine::Engine& target) : target_(target) {}

  void add(const Answer& answer);
  /// Adds the counts of an answer from an earlier run.
  void add(const std::string& task, const HeadHits& counted) { by_task_[task].add(counted); }
  /// Counts rows of the answer in a pass of the caller, from position `first` on.
  /// @param pass  with the best keys of these rows
  void count(const Answer& answer, const engine::Pass& pass, int first);

  const std::map<std::string, HeadHits>& by_task() const { return by_task_; }
  HeadHits total() const;

 private:
  engine::Engine& target_;
  std::map<std::string, HeadHits> by_task_;
};

/// The heads by their hits, most first; on a tie the lower layer, then the lower head.
std::vector<engine::Head> ranked_heads(const HeadHits& hits, int heads_per_layer);

}  // namespace outrider::calibrate
