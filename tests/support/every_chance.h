#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "runtime/sampling/chance.h"

namespace outrider::test {

/// Makes random choices in every possible way, so that what depends on them is known exactly.
class EveryChance : public sampling::Chance {
 public:
  /// Calls `run(probability)` after `work` has made its choices, once for each way of making them.
  void for_each(const std::function<void()>& work, const std::function<void(double)>& run) {
    choices_.clear();
    do {
      made_ = 0;
      probability_ = 1;
      work();
      run(probability_);
    } while (find_next());
  }

  bool happens(double probability, const sampling::Occasion& /*occasion*/) override {
    return choose({probability, 1 - probability}) == 0;
  }
  Token draw(const sampling::Distribution& from, const sampling::Occasion& /*occasion*/) override {
    return from.tokens.at(choose(from.probabilities));
  }

 private:
  struct Choice {
    std::vector<std::size_t> outcomes;  // possible ones
    std::size_t taken = 0;              // of these
  };

  std::size_t choose(const std::vector<double>& probabilities) {
    if (made_ == choices_.size()) {
      choices_.emplace_back();
      for (std::size_t i = 0; i < probabilities.size(); ++i)
        if (probabilities[i] > 0) choices_.back().outcomes.push_back(i);
    }
    const Choice& choice = choices_[made_++];
    const std::size_t outcome = choice.outcomes.at(choice.taken);
    probability_ *= probabilities[outcome];
    return outcome;
  }

  /// Takes the next outcome of the last choice that has one.
  bool find_next() {
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().outcomes.size())
      choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().taken;
    return true;
  }

  std::vector<Choice> choices_;
  std::size_t made_ = 0;
  double probability_ = 1;
};

}  // namespace outrider::test
