#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "calibrate/replay/replay.h"
#include "runtime/draft/copy/copy_sources.h"
#include "runtime/draft/copy/draft_lengths.h"

namespace outrider::calibrate {

/// How PLD+ drafts from the sources of a table.
struct CopyDrafting {
  int draft_length = 10;
  double threshold = -1;                     // no draft below this score; -1: always one
  int branches = 1;                          // at most the table's
  draft::DraftLengthsPtr lengths = nullptr;  // instead of draft_length
};

/// The sources of PLD+ by several rankings at every position of answers. Each is determined once
/// and then replayed with many settings: the text does not depend on the drafter, so nothing is
/// decoded or forwarded again.
class CopyTable {
 public:
  /// @param branches  sources stored for a position
  explicit CopyTable(std::size_t rankings, int branches = 1)
      : rankings_(rankings), branches_(branches) {}

  void begin(const Answer& answer);
  /// Records the sources of the answer's next position, from its first token to the last but one.
  void note(std::size_t ranking, std::span<const draft::RankedSource> scored);

  /// The records of the current answer as numbers, and the inverse, instead of `begin`.
  /// @return false for records that do not fit the answer and the number of rankings; then nothing
  ///         is restored
  std::vector<std::int32_t> last_noted() const;
  [[nodiscard]] bool restore(const Answer& answer, std::span<const std::int32_t> noted);

  std::size_t rankings() const { return rankings_; }
  /// One ranking of the table, as a table.
  CopyTable only(std::size_t ranking) const;
  /// The table of the answers of each temperature.
  std::map<double, CopyTable> by_temperature() const;
  /// The table of each half of the prompts.
  std::array<CopyTable, 2> halves() const;
  /// Visits the best source of each position that has one and is not followed by a loop.
  /// @param see  called with the text up to that position, the text after it, at most up to the
  ///             next loop, and the source
  void for_each_best(
      std::size_t ranking,
      const std::function<void(std::span<const Token> text, std::span<const Token> continuation,
                               const draft::RankedSource& source)>& see) const;

  /// The decoding of all answers.
  Replay replay(std::size_t ranking, const CopyDrafting& how) const;

 private:
  struct Sources {
    std::vector<draft::RankedSource> all;
    std::vector<std::uint32_t> ends;  // [position of the answer] in `all`
  };
  struct Noted {
    Answer answer;
    std::vector<Sources> by_ranking;
  };
  class Drafter;

  std::optional<Sources> sources_in(const Answer& answer,
                                    std::span<const std::int32_t>& noted) const;

  std::size_t rankings_;
  int branches_;
  std::vector<Noted> answers_;
};

}  // namespace outrider::calibrate
