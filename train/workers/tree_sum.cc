#include "train/workers/tree_sum.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::train {
namespace {

StepLoss added(const StepLoss& first, const StepLoss& second) {
  return {first.loss + second.loss, first.tokens + second.tokens};
}

/// Numbers [begin, end) of the gradients, one after the other.
struct Range {
  std::int64_t begin, end;

  std::int64_t size() const { return end - begin; }
  Range first_half() const { return {begin, begin + size() / 2}; }
  Range second_half() const { return {begin + size() / 2, end}; }
};

at::Tensor part(const at::Tensor& all, const Range& range) {
  return all.narrow(0, range.begin, range.size());
}

/// Gives one range to another worker and takes the other one.
void trade(Workers& workers, int other, const at::Tensor& mine, const at::Tensor& theirs) {
  // Halves of an odd number differ by one: what is exchanged has one size.
  if (mine.numel() == theirs.numel()) {
    workers.exchange(other, mine, theirs);
    return;
  }
  const std::int64_t size = std::max(mine.numel(), theirs.numel());
  const at::Tensor sent = at::empty({size}, mine.options());
  const at::Tensor taken = at::empty({size}, mine.options());
  sent.zero_().narrow(0, 0, mine.numel()).copy_(mine);
  workers.exchange(other, sent, taken);
  theirs.copy_(taken.narrow(0, 0, theirs.numel()));
}

/// Whether a worker keeps the second half of what it and its partner at a distance divide.
bool keeps_second(const Workers& workers, int distance) { return (workers.rank() & distance) != 0; }

/// Sums of all workers in the worker's own part of the numbers. @return that part, and those that it was divided from
std::vector<Range> add_in_parts(Workers& workers, const at::Tensor& numbers) {
  std::vector<Range> ranges = {{0, numbers.numel()}};
  for (int distance = 1; distance < workers.count(); distance *= 2) {
    const Range both = ranges.back();
    const bool second = keeps_second(workers, distance);
    const Range kept = second ? both.second_half() : both.first_half();
    const Range given = second ? both.first_half() : both.second_half();
    const at::Tensor theirs = at::empty({kept.size()}, numbers.options());
    trade(workers, workers.rank() ^ distance, part(numbers, given), theirs);
    part(numbers, kept).add_(theirs);  // either order of the two gives the same bits
    ranges.push_back(kept);
  }
  return ranges;
}

void put_parts_together(Workers& workers, std::vector<Range> ranges, const at::Tensor& numbers) {
  for (int distance = workers.count() / 2; distance > 0; distance /= 2) {
    const Range mine = ranges.back();
    ranges.pop_back();
    const Range both = ranges.back();
    const Range theirs = keeps_second(workers, distance) ? both.first_half() : both.second_half();
    trade(workers, workers.rank() ^ distance, part(numbers, mine), part(numbers, theirs));
  }
}

StepLoss add_losses(Workers& workers, StepLoss loss) {
  for (int distance = 1; distance < workers.count(); distance *= 2) {
    StepLoss theirs;
    workers.exchange(workers.rank() ^ distance, std::as_bytes(std::span(&loss, 1)),
                     std::as_writable_bytes(std::span(&theirs, 1)));
    loss = added(loss, theirs);
  }
  return loss;
}

}  // namespace

void TreeSum::add(const StepLoss& loss) {
  const c10::NoGradGuard no_gradients;
  Node node{1, {}, loss};
  std::vector<at::Tensor> next;
  if (!spare_.empty()) {
    next = std::move(spare_.back());
    spare_.pop_back();
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& gradient = parameters_[i].value.mutable_grad();
    node.gradients.push_back(gradient);
    gradient = i < next.size() ? next[i].zero_() : at::zeros_like(gradient);
  }
  for (; !nodes_.empty() && nodes_.back().leaves == node.leaves; nodes_.pop_back()) {
    Node& first = nodes_.back();
    for (std::size_t i = 0; i < parameters_.size(); ++i) first.gradients[i].add_(node.gradients[i]);
    spare_.push_back(std::move(node.gradients));
    node = {2 * node.leaves, std::move(first.gradients), added(first.loss, node.loss)};
  }
  nodes_.push_back(std::move(node));
}

StepLoss TreeSum::finish() {
  if (nodes_.size() != 1) throw std::logic_error("TreeSum: expected a power of two of batches");
  const Node sum = std::move(nodes_.back());
  nodes_.clear();
  std::vector<at::Tensor> zeros;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    zeros.push_back(parameters_[i].value.grad());
    parameters_[i].value.mutable_grad() = sum.gradients[i];
  }
  spare_.push_back(std::move(zeros));
  return sum.loss;
}

StepLoss sum_over(Workers& workers, const std::vector<Parameter>& parameters, StepLoss loss) {
  const c10::NoGradGuard no_gradients;
  std::vector<at::Tensor> flat;
  for (const Parameter& parameter : parameters) flat.push_back(parameter.value.grad().view({-1}));
  // First, since a worker that has ended is noticed at once where the hosts' memory is what goes between them.
  loss = add_losses(workers, loss);
  at::Tensor numbers = at::cat(flat);
  if (!workers.has_linked_cards()) numbers = numbers.cpu();
  put_parts_together(workers, add_in_parts(workers, numbers), numbers);
  std::int64_t begin = 0;
  for (const at::Tensor& gradient : flat) {
    gradient.copy_(numbers.narrow(0, begin, gradient.numel()));
    begin += gradient.numel();
  }
  return loss;
}

}  // namespace outrider::train
