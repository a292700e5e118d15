#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/ahead_reader.h"

namespace outrider::draft {

/// Levels of a tree that a device drafts ahead of its growth: after some nodes the most probable few of each level, in one
/// request. They are a guess at what will be opened. What is opened finds its row and what may follow it here, if it was
/// guessed; what was not is forwarded as without guesses, and what was guessed in vain has cost its rows. So no draft
/// depends on them.
class LevelsAhead {
 public:
  static constexpr int kNone = -1;
  /// Rows of a level, as few as cost hardly more than one.
  static constexpr int kWidth = 4;
  /// Levels of a request: most trees are pruned before many more.
  static constexpr int kLevels = 4;

  /// Forgets the round before.
  void restart() { rows_.clear(); }

  /// Whether levels can be drafted after so many rows. @param room  for rows, in the cache
  static bool fits(const engine::Ahead& form, int rows_before, int room);
  /// Rows beside those of the nodes that trees of so many levels need at most.
  static int most_rows(int levels) { return kWidth * (levels + kLevels); }

  /// Makes room for what is drafted. @return [levels, width of one]
  std::span<engine::RowAhead> rows(const engine::Ahead& form);
  /// Notes what was drafted into them.
  /// @param first      the number of the answer about the first of the rows before; those about the others follow
  /// @param first_row  the cache's row of the first of them
  /// @param token_of   (number of an answer, rank in it) -> token
  /// @return the tokens of the rows
  template <typename TokenOf>
  std::span<const Token> note(const engine::Ahead& form, int first, int rows_before, int first_row,
                              const TokenOf& token_of) {
    rows_.resize(static_cast<std::size_t>(first + rows_before));
    tokens_.clear();
    for (int i = 0; i < form.levels * form.width; ++i) {
      const engine::RowAhead& one = chosen_[static_cast<std::size_t>(i)];
      Row& row = rows_.emplace_back();
      if (one.parent != engine::RowAhead::kNone) {
        const int level_before =
            i < form.width ? first : first + rows_before + i - i % form.width - form.width;
        row.parent = level_before + one.parent;
        row.token = token_of(row.parent, one.rank);
        row.row = first_row + i;
      }
      tokens_.push_back(row.token);
    }
    return tokens_;
  }

  struct Found {
    int answer;  // its number
    int row;     // in the cache
  };
  /// The row of a node. @param parent  the number of its parent's answer
  /// @return kNone twice for one that was not drafted ahead
  Found find(int parent, Token token) const;

 private:
  struct Row {
    int parent =
        kNone;  // the number of its parent's answer; kNone: the parent was not drafted here
    Token token = 0;
    int row = kNone;
  };

  std::vector<Row> rows_;  // by the number of the answer
  std::vector<engine::RowAhead> chosen_;
  std::vector<Token> tokens_;
};

}  // namespace outrider::draft
