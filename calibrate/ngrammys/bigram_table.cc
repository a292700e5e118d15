#include "calibrate/ngrammys/bigram_table.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "calibrate/ngrammys/committed_prefix.h"
#include "runtime/sampling/chooser.h"

namespace outrider::calibrate {

bool fill_bigram_table(engine::Engine& engine, int batch, Token end, BigramTable& table,
                       const std::function<bool()>& go_on) {
  const auto chooser = sampling::make_chooser(engine, table.top);
  std::vector<sampling::RowScores> scores(static_cast<std::size_t>(batch));
  std::vector<sampling::AskedRow> asked;
  const auto cache = cache_after(engine, table.before, batch);
  engine::Pass pass;
  pass.sequences = {cache.get()};
  // Every row follows the committed prefix: none is committed, and none follows another.
  while (table.first + table.rows() < end) {
    const Token first = table.first + table.rows();
    pass.rows.clear();
    for (Token token = first; token < std::min(first + batch, end); ++token)
      pass.rows.push_back({token, 0, engine::Row::kCommitted, true});
    engine.forward(pass);
    asked.clear();
    for (std::size_t row = 0; row < pass.rows.size(); ++row)
      asked.push_back({.row = static_cast<int>(row), .scores = &scores[row]});
    chooser->answer(pass.logits, asked);
    for (const sampling::AskedRow& row : asked) {
      const sampling::RowScores& found = *row.scores;
      table.next.insert(table.next.end(), found.ids.begin(), found.ids.end());
      table.log_probs.insert(table.log_probs.end(), found.log_probs.begin(), found.log_probs.end());
    }
    if (!go_on()) break;
  }
  return table.first + table.rows() == end;
}

std::vector<std::int32_t> numbers_of(const BigramTable& table) {
  std::vector<std::int32_t> numbers = table.next;
  std::transform(table.log_probs.begin(), table.log_probs.end(), std::back_inserter(numbers),
                 [](float log_prob) { return std::bit_cast<std::int32_t>(log_prob); });
  return numbers;
}

void append_rows(std::span<const std::int32_t> rows, BigramTable& table) {
  const auto ids = rows.first(rows.size() / 2);
  table.next.insert(table.next.end(), ids.begin(), ids.end());
  for (const std::int32_t bits : rows.subspan(ids.size()))
    table.log_probs.push_back(std::bit_cast<float>(bits));
}

}  // namespace outrider::calibrate
