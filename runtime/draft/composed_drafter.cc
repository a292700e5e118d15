#include "runtime/draft/composed_drafter.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {

ComposedDrafter::ComposedDrafter(std::vector<std::unique_ptr<Drafter>> parts) {
  if (parts.empty()) throw std::logic_error("ComposedDrafter: expected at least one");
  for (std::unique_ptr<Drafter>& part : parts) {
    if (part->verification() != Verification::kCoupled)
      throw std::logic_error(
          "ComposedDrafter: together they have no distribution to be rejected by");
    const bool observes = !part->wants().empty();
    parts_.push_back({.drafter = std::move(part), .observes = observes});
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

std::vector<DrafterSeconds> ComposedDrafter::divide(double seconds) const {
  std::vector<DrafterSeconds> divided;
  for (const Part& part : parts_) {
    const bool is_last = &part == &parts_.back();
    const double own = is_last ? seconds : std::min(part.seconds, seconds);
    seconds -= own;
    for (DrafterSeconds& one : part.drafter->divide(own)) divided.push_back(std::move(one));
  }
  return divided;
}

std::vector<DrafterCount> ComposedDrafter::counts() const {
  std::vector<DrafterCount> counts = parts_.back().drafter->counts();
  for (const Part& part : parts_)
    for (DrafterCount& one : part.drafter->counts())
      if (std::none_of(counts.begin(), counts.end(),
                       [&](const DrafterCount& other) { return other.name == one.name; }))
        counts.push_back(std::move(one));
  return counts;
}

void ComposedDrafter::adopt(const Drafter& like, int tokens) {
  const auto* const same = dynamic_cast<const ComposedDrafter*>(&like);
  if (same == nullptr || same->parts_.size() != parts_.size()) return;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    parts_[i].drafter->adopt(*same->parts_[i].drafter, tokens);
}

int ComposedDrafter::start(std::span<const Token> text, int kept) {
  std::vector<int> observed;
  for (Part& part : parts_) {
    part.seconds = 0;
    part.was_asked = false;
    kept = part.drafter->start(text, kept);
    observed.push_back(kept);
  }
  // No row may be observed twice.
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (observed[i] > kept) parts_[i].drafter->start(text, kept);
  return kept;
}

void ComposedDrafter::reserve(int tokens) {
  for (Part& part : parts_) part.drafter->reserve(tokens);
}

int ComposedDrafter::most_nodes() const {
  int nodes = 0;
  for (const Part& part : parts_) nodes += part.drafter->most_nodes();
  return nodes;
}

std::int64_t ComposedDrafter::text_bytes(int tokens) const {
  std::int64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.drafter->text_bytes(tokens);
  return bytes;
}

engine::TapRequest ComposedDrafter::wants() const {
  engine::TapRequest all;
  for (const Part& part : parts_) all.merge(part.drafter->wants());
  return all;
}

void ComposedDrafter::observe(const engine::Pass& pass, std::span<const int> rows) {
  for (Part& part : parts_)
    if (part.observes) time(part, [&](Drafter& drafter) { drafter.observe(pass, rows); });
}

bool ComposedDrafter::wants_rejected() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.drafter->wants_rejected(); });
}

void ComposedDrafter::observe_rejected(const engine::Pass& pass, std::span<const int> rows) {
  for (Part& part : parts_)
    if (part.drafter->wants_rejected())
      time(part, [&](Drafter& drafter) { drafter.observe_rejected(pass, rows); });
}

}  // namespace outrider::draft
