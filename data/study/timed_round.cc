#include "data/study/timed_round.h"

#include <fmt/core.h>

#include "data/journal/entry_numbers.h"

namespace outrider::study {
namespace {

constexpr std::int64_t DecodeSums::*kCounts[] = {&DecodeSums::tokens, &DecodeSums::passes,
                                                 &DecodeSums::drafted, &DecodeSums::accepted,
                                                 &DecodeSums::draft_passes};

std::optional<TimedRound> round_of(const data::Journal::Entry& entry, std::size_t cells) {
  data::EntryReader numbers(entry);
  TimedRound round = {numbers.integer(), std::vector<DecodeSums>(cells)};
  for (DecodeSums& cell : round.cells) {
    for (const auto count : kCounts) cell.*count = numbers.integer();
    cell.seconds = numbers.long_real();
  }
  for (std::size_t left = numbers.count(1); left > 0; --left)
    round.text.push_back(numbers.integer());
  if (!numbers.is_at_end() || round.start < 1) return std::nullopt;
  return round;
}

}  // namespace

data::Journal::Entry entry_of(const TimedRound& round) {
  data::EntryWriter numbers;
  numbers.add(round.start);
  for (const DecodeSums& cell : round.cells) {
    // What is counted in one text fits.
    for (const auto count : kCounts) numbers.add(static_cast<std::int32_t>(cell.*count));
    numbers.add(cell.seconds);
  }
  numbers.add(round.text.size());
  for (const Token token : round.text) numbers.add(token);
  return numbers.entry();
}

std::vector<TimedRound> kept_rounds(const data::Journal& journal, std::size_t cells) {
  std::vector<TimedRound> rounds;
  for (const data::Journal::Entry& kept : journal.kept()) {
    const auto round = round_of(kept, cells);
    if (!round) journal.refuse();
    rounds.push_back(*round);
  }
  return rounds;
}

int next_start(const std::vector<TimedRound>& kept) {
  return kept.empty() ? 1 : kept.back().start + 1;
}

std::string starts_text(int starts) {
  if (starts == 1) return "";
  return fmt::format(
      "measured in {} starts; each text was decoded with all settings in one of them\n", starts);
}

}  // namespace outrider::study
