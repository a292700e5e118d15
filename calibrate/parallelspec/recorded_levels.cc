#include "calibrate/parallelspec/recorded_levels.h"

#include "data/journal/entry_numbers.h"

namespace outrider::calibrate {

data::Journal::Entry entry_of(const RecordedLevels& recorded) {
  data::EntryWriter numbers;
  numbers.add(recorded.levels.size());
  for (const draft::RankedDepth& level : recorded.levels) {
    numbers.add(level.log_best).add(level.tokens.size());
    for (const sampling::RankedToken& one : level.tokens)
      numbers.add(one.token).add(one.value).add(one.score);
  }
  return numbers.entry();
}

bool restore(const data::Journal::Entry& entry, RecordedLevels& recorded) {
  data::EntryReader numbers(entry);
  recorded.levels.resize(numbers.count(3));
  for (draft::RankedDepth& level : recorded.levels) {
    level.log_best = numbers.long_real();
    for (std::size_t left = numbers.count(5); left > 0; --left) {
      const Token token = numbers.integer();
      const double value = numbers.long_real();
      level.tokens.push_back({token, value, numbers.long_real()});
    }
  }
  return numbers.is_at_end();
}

}  // namespace outrider::calibrate
