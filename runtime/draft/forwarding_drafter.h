#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// Another drafter in all respects; what is different is overridden.
class ForwardingDrafter : public Drafter {
 public:
  explicit ForwardingDrafter(std::unique_ptr<Drafter> inner) : inner_(std::move(inner)) {}

  std::string name() const override { return inner_->name(); }
  std::vector<DrafterSeconds> divide(double seconds) const override {
    return inner_->divide(seconds);
  }
  std::vector<DrafterCount> counts() const override { return inner_->counts(); }
  Verification verification() const override { return inner_->verification(); }
  const sampling::Distribution& drawn_from(int node) const override {
    return inner_->drawn_from(node);
  }
  void reset() override { inner_->reset(); }
  void adopt(const Drafter& like, int tokens) override {
    const auto* const same = dynamic_cast<const ForwardingDrafter*>(&like);
    if (same != nullptr) inner_->adopt(*same->inner_, tokens);
  }
  int start(std::span<const Token> text, int kept) override { return inner_->start(text, kept); }
  void reserve(int tokens) override { inner_->reserve(tokens); }
  int most_nodes() const override { return inner_->most_nodes(); }
  std::int64_t text_bytes(int tokens) const override { return inner_->text_bytes(tokens); }
  engine::TapRequest wants() const override { return inner_->wants(); }
  void observe(const engine::Pass& pass, std::span<const int> rows) override {
    inner_->observe(pass, rows);
  }
  bool wants_rejected() const override { return inner_->wants_rejected(); }
  void observe_rejected(const engine::Pass& pass, std::span<const int> rows) override {
    inner_->observe_rejected(pass, rows);
  }
  void verified(std::span<const int> accepted, Token next) override {
    inner_->verified(accepted, next);
  }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override { inner_->draft(context, tree); }
  const Drafter& inner() const { return *inner_; }

 private:
  std::unique_ptr<Drafter> inner_;
};

}  // namespace outrider::draft
