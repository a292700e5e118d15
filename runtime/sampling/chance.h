#pragma once

#include <cstdint>

#include "runtime/base/token.h"
#include "runtime/sampling/distribution.h"

namespace outrider::sampling {

/// Which of a sequence's random choices: those that differ in any of this are independent.
struct Occasion {
  RandomUse use;
  std::int64_t position;  // of the token
  int number = 0;         // among several of the same use and position
};

/// Makes the random choices of speculative sampling.
class Chance {
 public:
  virtual ~Chance() = default;
  /// Whether something happens that has this probability.
  virtual bool happens(double probability, const Occasion& occasion) = 0;
  virtual Token draw(const Distribution& from, const Occasion& occasion) = 0;
};

/// Random choices by the seed of a sequence, and so the same again for the same occasion.
class SeededChance final : public Chance {
 public:
  explicit SeededChance(std::uint64_t sequence_seed) : seed_(sequence_seed) {}

  bool happens(double probability, const Occasion& occasion) override {
    return uniform(occasion) < probability;
  }
  Token draw(const Distribution& from, const Occasion& occasion) override {
    return sampling::draw(from, uniform(occasion));
  }

 private:
  double uniform(const Occasion& occasion) const {
    return sampling::uniform(seed_, occasion.position, occasion.use, occasion.number);
  }

  std::uint64_t seed_;
};

}  // namespace outrider::sampling
