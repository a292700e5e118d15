#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// Another drafter in all respects; what is different is overridden.
class ForwardingDrafter : public Drafter {
 public:
  explicit ForwardingDrafter(std::unique_ptr<Drafter> inner) : inner_(std::move(inner)) {}

  std::string name() const override { return inner_->name(); }
  DrafterTraits traits() const override { return inner_->traits(); }
  DrafterReport report(double seconds) const override { return inner_->report(seconds); }
  std::int64_t text_bytes(int tokens) const override { return inner_->text_bytes(tokens); }
  void observe(const engine::Pass& pass, const ObservedRows& rows) override {
    inner_->observe(pass, rows);
  }
  void verified(std::span<const int> accepted, Token next) override {
    inner_->verified(accepted, next);
  }

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override { inner_->draft(context, tree); }
  int begin(const TextStart& text) override { return inner_->start(text); }
  void take_over(const Drafter& like, int tokens) override {
    inner_->adopt(*static_cast<const ForwardingDrafter&>(like).inner_, tokens);
  }
  const Drafter& inner() const { return *inner_; }

 private:
  std::unique_ptr<Drafter> inner_;
};

}  // namespace outrider::draft
