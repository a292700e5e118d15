#include "calibrate/replay/replay_entry.h"

#include <array>

#include "data/journal/entry_numbers.h"

namespace outrider::calibrate {
namespace {

using Counts = std::vector<std::int64_t>;
using Cell = draft::AcceptanceTable::Cell;

constexpr std::array<Counts draft::RowCounts::*, 5> kRowCounts = {
    &draft::RowCounts::allotted, &draft::RowCounts::drafted_tokens, &draft::RowCounts::accepted,
    &draft::RowCounts::accepted_tokens, &draft::RowCounts::passes_by_accepted};

// What is counted in one text fits.
std::int32_t small(std::int64_t count) { return static_cast<std::int32_t>(count); }

void write_rows(const draft::RowStats& rows, data::EntryWriter& numbers) {
  numbers.add(small(rows.tokens)).add(small(rows.nodes));
  for (const draft::RowCounts& of_source : rows.by_source)
    for (const auto counts : kRowCounts) {
      numbers.add((of_source.*counts).size());
      for (const std::int64_t count : of_source.*counts) numbers.add(small(count));
    }
}

void read_rows(data::EntryReader& numbers, draft::RowStats& rows) {
  rows.tokens = numbers.integer();
  rows.nodes = numbers.integer();
  for (draft::RowCounts& of_source : rows.by_source)
    for (const auto counts : kRowCounts)
      for (std::size_t left = numbers.count(1); left > 0; --left)
        (of_source.*counts).push_back(numbers.integer());
}

void write_acceptance(const draft::AcceptanceTable& table, data::EntryWriter& numbers) {
  numbers.add(table.cells().size());
  for (const Cell& cell : table.cells())
    numbers.add(static_cast<std::int32_t>(cell.source))
        .add(cell.rank)
        .add(cell.tenth)
        .add(cell.depth)
        .add(small(cell.offered))
        .add(small(cell.accepted));
}

bool read_acceptance(data::EntryReader& numbers, draft::AcceptanceTable& table) {
  constexpr std::size_t kNumbers = 6;  // of a cell
  for (std::size_t left = numbers.count(kNumbers); left > 0; --left) {
    const std::int32_t source = numbers.integer();
    if (source < 0 || source >= static_cast<std::int32_t>(draft::kSources)) return false;
    Cell cell = {.source = static_cast<draft::Source>(source)};
    for (int* const number : {&cell.rank, &cell.tenth, &cell.depth}) *number = numbers.integer();
    cell.offered = numbers.integer();
    cell.accepted = numbers.integer();
    table.add(cell);
  }
  return true;
}

}  // namespace

data::Journal::Entry entry_of(const Replay& replay) {
  data::EntryWriter numbers;
  numbers.add(small(replay.tokens)).add(small(replay.cut_rounds)).add(replay.by_pass.size());
  for (const decode::PassDraft& pass : replay.by_pass) numbers.add(pass.drafted).add(pass.accepted);
  write_rows(replay.rows, numbers);
  write_acceptance(replay.acceptance, numbers);
  return numbers.entry();
}

std::optional<Replay> replay_of(const data::Journal::Entry& entry) {
  data::EntryReader numbers(entry);
  Replay replay;
  const std::int32_t tokens = numbers.integer();
  replay.cut_rounds = numbers.integer();
  for (std::size_t left = numbers.count(2); left > 0; --left) {
    const int drafted = numbers.integer();
    replay.add_pass(drafted, numbers.integer(), 0);
  }
  replay.tokens = tokens;
  read_rows(numbers, replay.rows);
  if (!read_acceptance(numbers, replay.acceptance) || !numbers.is_at_end()) return std::nullopt;
  return replay;
}

}  // namespace outrider::calibrate
