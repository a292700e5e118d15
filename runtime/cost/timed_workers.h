#pragma once

#include <set>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/engine/engine.h"

namespace outrider::cost {

/// The numbers of workers that passes in an engine's place are timed with, where none are given: all, and on a processor
/// 1 too, with which a pass of a small model can be over before all threads have begun.
inline std::set<int> timed_workers(const engine::Engine& engine) {
  if (engine.place().kind == engine::Place::Kind::kGpu) return {engine.workers()};
  return {1, engine.workers()};
}

/// Fills in `workers` with these where it is empty.
/// @throws InputError for numbers of threads of a GPU
inline void time_usual_workers(const engine::Engine& engine, std::vector<int>& workers) {
  if (!workers.empty() && engine.place().kind == engine::Place::Kind::kGpu)
    throw InputError("--threads: expected none for " + engine.place().name +
                     ", on which every pass has all multiprocessors; leave it out");
  if (!workers.empty()) return;
  const std::set<int> usual = timed_workers(engine);
  workers.assign(usual.begin(), usual.end());
}

}  // namespace outrider::cost
