#include "runtime/engine/pass_steps.h"

#include <algorithm>

namespace outrider::engine {

void forward_steps(Engine& engine, Pass& pass, std::span<PassStep* const> steps) {
  const TapRequest none;
  pass.sequences.clear();
  pass.rows.clear();
  pass.request = none;  // copied: its capacity stays
  for (PassStep* const step : steps) step->add_rows(pass);
  engine.forward(pass);
  auto row = pass.rows.begin();
  int logits = 0;
  for (std::size_t sequence = 0; sequence < steps.size(); ++sequence) {
    const auto end = std::find_if(row, pass.rows.end(), [sequence](const Row& one) {
      return one.sequence != static_cast<int>(sequence);
    });
    steps[sequence]->take(
        {&pass, static_cast<int>(row - pass.rows.begin()), static_cast<int>(end - row), logits});
    logits +=
        static_cast<int>(std::count_if(row, end, [](const Row& one) { return one.wants_logits; }));
    row = end;
  }
}

void forward_step(Engine& engine, Pass& pass, PassStep& step) {
  PassStep* const only = &step;
  forward_steps(engine, pass, {&only, 1});
}

}  // namespace outrider::engine
