#include "runtime/methods/draft_head.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/cost/weights_of_row.h"
#include "runtime/draft/model/most_frequent_tokens.h"
#include "runtime/methods/find_pair_counts.h"
#include "runtime/model/trim_head.h"
#include "runtime/tokenizer/end_tokens.h"

namespace outrider::methods {
namespace {

/// A trimmed head has to save so many times the share of tokens that it lacks. A draft ends at a token that the head lacks: where a share f
/// is lacking, drafts of three tokens lose up to 2 f of their accepted tokens. A round that drafts for as long as it verifies is
/// s / 2 faster where the draft model's passes are s cheaper. Both are equal where s is 4 f.
constexpr double kSavedForNew = 4;

/// The share of a pass's products that a head of so many rows saves.
double share_saved(const model::ModelConfig& config, std::int64_t rows) {
  const std::int64_t width = config.width;
  const std::int64_t whole = cost::weights_of_row(config) + width * config.vocab;
  return static_cast<double>(width * (config.vocab - rows)) / static_cast<double>(whole);
}

/// The share of further tokens that did not occur before: that of the tokens that occurred once (Good 1953, equation 9).
double share_of_new(const std::vector<std::int32_t>& occurrences) {
  std::int64_t once = 0, all = 0;
  for (const std::int32_t count : occurrences) {
    once += count == 1;
    all += count;
  }
  return all == 0 ? 1 : static_cast<double>(once) / static_cast<double>(all);
}

}  // namespace

void trim_to_drafts(const MethodTarget& target, const std::string& artifacts,
                    std::optional<int> vocab, model::Model& model) {
  // A padded vocabulary has rows that stand for no token of the other model.
  const int shared = std::min(target.model().config.vocab, model.config.vocab);
  if (vocab && (*vocab == 0 || *vocab >= shared)) return;
  const auto pair_counts = vocab ? needed_pair_counts(target, artifacts, "--draft-vocab")
                                 : find_pair_counts(target, artifacts);
  if (pair_counts == nullptr) return;
  const std::vector<std::int32_t>& occurrences = pair_counts->occurrences();
  std::vector<std::int64_t> counts(occurrences.begin(), occurrences.begin() + shared);
  std::vector<Token> ends = text::end_tokens(target.model().tokenizer);
  std::erase_if(ends, [shared](Token token) { return token >= shared; });
  for (const Token end : ends) ++counts[static_cast<std::size_t>(end)];
  const auto occurred = std::ranges::count_if(counts, [](std::int64_t count) { return count > 0; });
  const auto size = static_cast<int>(std::clamp<std::int64_t>(
      vocab.value_or(static_cast<int>(occurred)), std::ssize(ends), shared));
  if (size == shared) return;
  const double fresh = share_of_new(occurrences);
  const double saved = share_saved(model.config, size);
  if (!vocab && kSavedForNew * fresh > saved) {
    target.inform(fmt::format(
        "{}: drafts all its tokens: of the target's answers too few are counted, {:.1f} % of "
        "further tokens would be new, for a pass that is {:.0f} % cheaper; `calibrate pair-counts` "
        "counts more traces",
        model.path.string(), 100 * fresh, 100 * saved));
    return;
  }
  model::trim_head(draft::most_frequent_tokens(counts, size, ends), model);
  target.inform(fmt::format(
      "{}: drafts {} of {} tokens, the most frequent in the target's answers (--draft-vocab)",
      model.path.string(), size, shared));
}

}  // namespace outrider::methods
