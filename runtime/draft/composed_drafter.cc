#include "runtime/draft/composed_drafter.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {

ComposedDrafter::ComposedDrafter(std::vector<std::unique_ptr<Drafter>> parts) {
  if (parts.empty()) throw std::logic_error("ComposedDrafter: expected at least one");
  for (std::unique_ptr<Drafter>& part : parts) {
    const DrafterTraits traits = part->traits();
    if (traits.verification != Verification::kCoupled)
      throw std::logic_error(
          "ComposedDrafter: together they have no distribution to be rejected by");
    parts_.push_back({.drafter = std::move(part),
                      .observes = !traits.wants.empty(),
                      .observes_rejected = traits.wants_rejected});
  }
}

template <typename Work>
void ComposedDrafter::time(Part& part, const Work& work) {
  const Stopwatch watch;
  work(*part.drafter);
  part.seconds += watch.seconds();
}

const TokenTree& ComposedDrafter::draft_with(std::size_t part, const DraftContext& context,
                                             const TokenTree& tree, int nodes) {
  Part& asked = parts_[part];
  TokenTree& own = asked.tree.begin(tree, nodes);
  if (own.limits().nodes < 1) return own;
  asked.was_asked = true;
  time(asked, [&](Drafter& drafter) { drafter.draft(context, own); });
  return own;
}

void ComposedDrafter::fill(const DraftContext& context, TokenTree& tree) {
  for (Part& part : parts_) part.was_asked = false;
  compose(context, tree);
  for (Part& part : parts_)
    if (part.was_asked) part.tree.find_in(tree);
}

void ComposedDrafter::verified(std::span<const int> accepted, Token next) {
  for (Part& part : parts_) {
    if (!std::exchange(part.was_asked, false)) continue;
    const PartTree::Told told = part.tree.told(accepted, next);
    time(part, [&](Drafter& drafter) { drafter.verified(told.accepted, told.next); });
  }
}

DrafterTraits ComposedDrafter::traits() const {
  DrafterTraits all = {.most_nodes = 0};
  for (const Part& part : parts_) {
    const DrafterTraits traits = part.drafter->traits();
    all.most_nodes += traits.most_nodes;
    all.wants.merge(traits.wants);
    all.wants_rejected = all.wants_rejected || traits.wants_rejected;
  }
  return all;
}

DrafterReport ComposedDrafter::report(double seconds) const {
  DrafterReport all;
  std::vector<DrafterCount> of_others;
  for (const Part& part : parts_) {
    const bool is_last = &part == &parts_.back();
    const double own = is_last ? seconds : std::min(part.seconds, seconds);
    seconds -= own;
    DrafterReport one = part.drafter->report(own);
    std::move(one.seconds.begin(), one.seconds.end(), std::back_inserter(all.seconds));
    std::vector<DrafterCount>& counts = is_last ? all.counts : of_others;
    std::move(one.counts.begin(), one.counts.end(), std::back_inserter(counts));
  }
  for (DrafterCount& one : of_others)
    if (std::none_of(all.counts.begin(), all.counts.end(),
                     [&](const DrafterCount& other) { return other.name == one.name; }))
      all.counts.push_back(std::move(one));
  return all;
}

void ComposedDrafter::take_over(const Drafter& like, int tokens) {
  const auto& same = static_cast<const ComposedDrafter&>(like);
  if (same.parts_.size() != parts_.size()) return;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    parts_[i].drafter->adopt(*same.parts_[i].drafter, tokens);
}

int ComposedDrafter::begin(const TextStart& text) {
  TextStart from_here = text;
  std::vector<int> observed;
  for (Part& part : parts_) {
    part.seconds = 0;
    part.was_asked = false;
    from_here.kept = part.drafter->start(from_here);
    observed.push_back(from_here.kept);
  }
  // No row may be observed twice.
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (observed[i] > from_here.kept) parts_[i].drafter->start(from_here);
  return from_here.kept;
}

std::int64_t ComposedDrafter::text_bytes(int tokens) const {
  std::int64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.drafter->text_bytes(tokens);
  return bytes;
}

void ComposedDrafter::observe(const engine::Pass& pass, const ObservedRows& rows) {
  for (Part& part : parts_) {
    const ObservedRows of_part = {rows.kept,
                                  part.observes_rejected ? rows.rejected : std::span<const int>()};
    if (!part.observes || (of_part.kept.empty() && of_part.rejected.empty())) continue;
    time(part, [&](Drafter& drafter) { drafter.observe(pass, of_part); });
  }
}

}  // namespace outrider::draft
