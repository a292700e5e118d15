// The feed-forward step of layers with experts.

#include <algorithm>

#include "runtime/engine/cpu/forward_pass.h"

namespace outrider::engine::cpu {

void ForwardPass::mix_experts(int thread, const PreparedLayer& layer, int first_normed, int first) {
  const int rows = rows_ - first;
  const std::size_t stride = static_cast<std::size_t>(layer.router.matrix.panels()) * 16;
  project(layer.router, panels_of(thread, layer.router), normed_, first_normed, rows,
          {routed_.data(), stride, false});
  team_.barrier();
  if (thread == 0) routing_.assign(routed_.data(), stride, rows);
  team_.barrier();
  const Share mine = share(routing_.places(), thread, team_.size());
  for (int place = mine.begin; place < mine.end; ++place)
    expert_inputs_.copy_row(normed_, first_normed + routing_.row(place), place);
  team_.barrier();
  activate_experts(thread, layer);
  team_.barrier();
  add_experts(thread, layer, first);
}

void ForwardPass::activate_experts(int thread, const PreparedLayer& layer) {
  // Threads divide pairs of panels of every expert, as in feed_forward.
  const Share pairs = share(config_.ffn_width / 32, thread, team_.size());
  const Share mine = {2 * pairs.begin, 2 * pairs.end};
  const std::size_t stride = static_cast<std::size_t>(config_.ffn_width);
  const int begin = mine.begin * 16;
  const int count = (mine.end - mine.begin) * 16;
  for (int e = 0; e < config_.experts; ++e) {
    const PreparedExpert& expert = layer.experts[static_cast<std::size_t>(e)];
    const int first = routing_.begin(e);
    const int rows = routing_.begin(e + 1) - first;
    if (rows == 0) continue;
    float* const up = expert_up_.data() + at(first, config_.ffn_width);
    project(expert.gate, mine, expert_inputs_, first, rows,
            {expert_gates_.row(first), stride, false});
    project(expert.up, mine, expert_inputs_, first, rows, {up, stride, false});
    for (int i = 0; i < rows; ++i) {
      activate(expert_gates_.row(first + i) + begin, up + at(i, config_.ffn_width) + begin, count);
      expert_gates_.finish(kernels_, first + i, begin, count);
    }
  }
}

void ForwardPass::add_experts(int thread, const PreparedLayer& layer, int first) {
  const int width = config_.width;
  const Share panels = panels_of(thread, layer.experts.front().down);
  for (int e = 0; e < config_.experts; ++e) {
    const int begin = routing_.begin(e);
    const int rows = routing_.begin(e + 1) - begin;
    if (rows == 0) continue;
    project(layer.experts[static_cast<std::size_t>(e)].down, panels, expert_gates_, begin, rows,
            {expert_outputs_.data() + at(begin, width), static_cast<std::size_t>(width), false});
  }
  // The outputs of this thread's panels are complete, so that no other thread is waited for.
  for (int row = 0; row < rows_ - first; ++row) {
    const ExpertRouting::Part* const parts = routing_.parts(row);
    float* const stream = residual_.data() + at(first + row, width);
    for (std::size_t n = at(panels.begin, 16); n < at(panels.end, 16); ++n) {
      float sum = 0;
      for (int i = 0; i < config_.used_experts; ++i)
        sum += parts[i].share * expert_outputs_.data()[at(parts[i].place, width) + n];
      stream[n] += config_.residual_scale * sum;
    }
  }
}

}  // namespace outrider::engine::cpu
