#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calibrate/pld_plus/copied_tokens.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// How often each head looked at the place that a token was copied from, just before it was said.
struct HeadHits {
  std::vector<std::int64_t> hits;  // [layers, heads]
  std::int64_t tokens = 0;         // copied tokens looked at

  void add(const HeadHits& other);
};

/// Counts heads over answers: at each token of an answer that occurs in its prompt and lies in no
/// loop, the heads whose arg-max over all keys of the row before it is the place that it was copied from. PLD+
/// (Somasundaram et al. 2024), section 4.2.1.
class HeadSearch {
 public:
  explicit HeadSearch(engine::Engine& target) : target_(target) {}

  void add(const Answer& answer);
  /// Adds what was counted of an answer elsewhere.
  void add(const std::string& task, const HeadHits& counted) { by_task_[task].add(counted); }
  /// Counts rows of the answer that were forwarded elsewhere, from position `first` on.
  /// @param pass  which handed out the best keys of these rows
  void count(const Answer& answer, const engine::Pass& pass, int first);

  const std::map<std::string, HeadHits>& by_task() const { return by_task_; }
  HeadHits total() const;

 private:
  engine::Engine& target_;
  std::map<std::string, HeadHits> by_task_;
};

/// The heads by their hits, most first; among equals the lower layer, then the lower head.
std::vector<engine::Head> ranked_heads(const HeadHits& hits, int heads_per_layer);

}  // namespace outrider::calibrate
