#include "runtime/draft/copy_first.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/stopwatch.h"

namespace outrider::draft {

CopyFirst::CopyFirst(std::unique_ptr<Drafter> copier, std::unique_ptr<Drafter> model)
    : copier_{std::move(copier)}, model_{std::move(model)} {
  for (Part* part : {&copier_, &model_}) {
    if (part->drafter->verification() != Verification::kCoupled)
      throw std::logic_error("CopyFirst: copies have no distribution to be rejected by");
    part->observes = !part->drafter->wants().empty();
  }
}

std::vector<DrafterSeconds> CopyFirst::divide(double seconds) const {
  const double copier = std::min(copier_seconds_, seconds);
  std::vector<DrafterSeconds> divided = copier_.drafter->divide(copier);
  for (DrafterSeconds& one : model_.drafter->divide(seconds - copier))
    divided.push_back(std::move(one));
  return divided;
}

std::vector<DrafterCount> CopyFirst::counts() const {
  std::vector<DrafterCount> counts = model_.drafter->counts();
  // What both count, such as paused rounds, is the model's.
  for (DrafterCount& one : copier_.drafter->counts())
    if (std::none_of(counts.begin(), counts.end(),
                     [&](const DrafterCount& other) { return other.name == one.name; }))
      counts.push_back(std::move(one));
  return counts;
}

int CopyFirst::start(std::span<const Token> text, int kept) {
  last_ = nullptr;
  copier_seconds_ = 0;
  const int of_copier = copier_.drafter->start(text, kept);
  const int of_both = model_.drafter->start(text, of_copier);
  // No row may be observed twice.
  if (of_both < of_copier) copier_.drafter->start(text, of_both);
  return of_both;
}

bool CopyFirst::needs_plain_text() const {
  return copier_.drafter->needs_plain_text() || model_.drafter->needs_plain_text();
}

void CopyFirst::set_plain_text(const DraftContext& text, int prompt) {
  for (const Part* part : {&copier_, &model_})
    if (part->drafter->needs_plain_text()) part->drafter->set_plain_text(text, prompt);
}

engine::TapRequest CopyFirst::wants() const {
  engine::TapRequest both = copier_.drafter->wants();
  both.merge(model_.drafter->wants());
  return both;
}

void CopyFirst::observe(const engine::Pass& pass, std::span<const int> rows) {
  const Stopwatch watch;
  if (copier_.observes) copier_.drafter->observe(pass, rows);
  copier_seconds_ += watch.seconds();
  if (model_.observes) model_.drafter->observe(pass, rows);
}

bool CopyFirst::wants_rejected() const {
  return copier_.drafter->wants_rejected() || model_.drafter->wants_rejected();
}

void CopyFirst::observe_rejected(const engine::Pass& pass, std::span<const int> rows) {
  for (const Part* part : {&copier_, &model_})
    if (part->drafter->wants_rejected()) part->drafter->observe_rejected(pass, rows);
}

void CopyFirst::fill(const DraftContext& context, TokenTree& tree) {
  const Stopwatch watch;
  last_ = &copier_;
  copier_.drafter->draft(context, tree);
  copier_seconds_ += watch.seconds();
  if (tree.num_drafted() == 0) {
    last_ = &model_;
    model_.drafter->draft(context, tree);
  }
}

void CopyFirst::verified(std::span<const int> accepted, Token next) {
  if (last_ == nullptr) return;
  last_->drafter->verified(accepted, next);
  last_ = nullptr;
}

}  // namespace outrider::draft
