#include "calibrate/ngrammys/greedy_extension.h"

#include <algorithm>

#include "calibrate/ngrammys/committed_prefix.h"
#include "runtime/sampling/chooser.h"

namespace outrider::calibrate {
namespace {

/// The drafts of some consecutive tokens, extended pass by pass.
class Group {
 public:
  Group(const BigramTable& table, int rows, Token first, Token last) : first_(first), rows_(rows) {
    for (Token token = first; token < last; ++token)
      for (int rank = 0; rank < rows; ++rank)
        drafts_.push_back({table.next[static_cast<std::size_t>(token * table.top + rank)]});
  }

  /// One tree for each token, with its drafts below it. Only their last nodes want logits.
  void fill(engine::Pass& pass) const {
    pass.rows.clear();
    int root = 0;
    for (std::size_t d = 0; d < drafts_.size(); ++d) {
      const auto rank = d % static_cast<std::size_t>(rows_);
      if (rank == 0) {
        root = static_cast<int>(pass.rows.size());
        const auto token = first_ + static_cast<Token>(d / static_cast<std::size_t>(rows_));
        pass.rows.push_back({token, 0, engine::Row::kCommitted, false});
      }
      int parent = root;
      for (const Token token : drafts_[d]) {
        pass.rows.push_back({token, 0, parent, false});
        parent = static_cast<int>(pass.rows.size()) - 1;
      }
      pass.rows.back().wants_logits = true;
    }
  }

  void take(const engine::Pass& pass, sampling::Chooser& chooser) {
    std::vector<sampling::AskedRow> asked;
    for (std::size_t d = 0; d < drafts_.size(); ++d)
      asked.push_back(
          {.row = static_cast<int>(d), .sampling = sampling::SequenceSampling::greedy()});
    chooser.answer(pass.logits, asked);
    for (std::size_t d = 0; d < drafts_.size(); ++d) drafts_[d].push_back(asked[d].token);
  }

  /// Appends the drafts without their first tokens, which are in the table.
  void append_to(std::vector<Token>& next) const {
    for (const auto& draft : drafts_) next.insert(next.end(), draft.begin() + 1, draft.end());
  }

 private:
  Token first_;
  int rows_;
  std::vector<std::vector<Token>> drafts_;  // [tokens, rows]
};

}  // namespace

bool extend_greedily(engine::Engine& engine, const BigramTable& table, int batch,
                     GreedyExtension& extension, const std::function<bool()>& go_on) {
  const int vocab = table.rows();
  const int rows_of_token = 1 + extension.rows * extension.length;
  const int tokens = std::max(1, batch / rows_of_token);
  const auto cache = cache_after(engine, table.before, tokens * rows_of_token);
  const auto chooser = sampling::make_chooser(engine);
  engine::Pass pass;
  pass.sequences = {cache.get()};
  while (extension.tokens_done() < vocab) {
    const Token first = extension.tokens_done();
    Group group(table, extension.rows, first, std::min(first + tokens, vocab));
    for (int depth = 0; depth < extension.length; ++depth) {
      group.fill(pass);
      engine.forward(pass);
      group.take(pass, *chooser);
    }
    group.append_to(extension.next);
    if (!go_on()) break;
  }
  return extension.tokens_done() == vocab;
}

}  // namespace outrider::calibrate
