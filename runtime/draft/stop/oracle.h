#pragma once

#include <stdexcept>
#include <vector>

#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// Drafts exactly the tokens that will be accepted, none where the first would not be: the lower bound on
/// latency to which DISCO compares (Mamou et al. 2024, section 2). It has to know the text beforehand.
class Oracle : public StopPolicy {
 public:
  void set_agreement(std::span<const std::uint8_t> agrees) override {
    agrees_.assign(agrees.begin(), agrees.end());
  }

  int most(std::int64_t index) override {
    if (agrees_.empty()) throw std::logic_error("Oracle: the text is not known");
    auto next = static_cast<std::size_t>(index);
    while (next < agrees_.size() && agrees_[next] != 0) ++next;
    return static_cast<int>(next) - static_cast<int>(index);
  }
  bool stops(const DraftedToken&) override { return false; }
  int drafted_at_once() const override { return kNoLimit; }

 private:
  std::vector<std::uint8_t> agrees_;
};

}  // namespace outrider::draft
