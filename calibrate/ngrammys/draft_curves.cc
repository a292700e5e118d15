#include "calibrate/ngrammys/draft_curves.h"

#include <fmt/core.h>

#include <functional>
#include <memory>

#include "runtime/draft/ngram/bigram_drafter.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "runtime/draft/ngram/unigram_drafter.h"

namespace outrider::calibrate {

DraftCurves draft_curves(const std::vector<Answer>& answers, const draft::TablesPtr& tables) {
  using Make = std::function<std::unique_ptr<draft::Drafter>(int drafts)>;
  DraftCurves found;
  for (const int k : {1, 2, 3, 4, 5, 8, 10, 15, 20, 25})
    if (k <= tables->top) found.drafts.push_back(k);
  const auto add = [&](const std::string& name, const Make& make) {
    std::vector<double> curve;
    for (const int k : found.drafts)
      curve.push_back(replay_all(answers, make(k).get()).tokens_per_pass());
    found.curves.emplace_back(name, std::move(curve));
  };
  add("unigram", [&](int k) { return std::make_unique<draft::Unigram>(tables, k); });
  for (const int w : {1, 2, 3})
    add(fmt::format("bigram, w = {}", w), [&, w](int k) {
      return std::make_unique<draft::Bigram>(tables,
                                             draft::BigramOptions{.drafts = k, .draft_length = w});
    });
  for (const int q : {1, 2, 3})
    add(fmt::format("context, q = {}", q), [q](int k) {
      return std::make_unique<draft::ContextNgram>(
          draft::ContextNgramOptions{.query = q, .draft_length = 10, .drafts = k});
    });
  return found;
}

}  // namespace outrider::calibrate
