#include "train/draft/frequent_tokens.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/draft/model/most_frequent_tokens.h"

namespace outrider::train {

void FrequentTokens::add(const data::Trace& trace) {
  for (std::size_t i = 0; i < trace.output_tokens.size(); ++i)
    if (trace.in_loop[i] == 0) ++counts_.at(static_cast<std::size_t>(trace.output_tokens[i]));
}

std::vector<Token> FrequentTokens::choose(int size, std::span<const Token> always) const {
  const int vocab = static_cast<int>(counts_.size());
  if (size < static_cast<int>(always.size()) || size > vocab)
    throw InputError(fmt::format("a draft vocabulary of {} tokens; expected {} to {}", size,
                                 always.size(), vocab));
  return draft::most_frequent_tokens(counts_, size, always);
}

double coverage(std::span<const data::Trace> traces, const HeadRows& head) {
  std::int64_t covered = 0, all = 0;
  for (const data::Trace& trace : traces)
    for (std::size_t i = 0; i < trace.output_tokens.size(); ++i) {
      if (trace.in_loop[i] != 0) continue;
      ++all;
      covered += head.row(trace.output_tokens[i]) >= 0;
    }
  return all == 0 ? 0 : static_cast<double>(covered) / static_cast<double>(all);
}

}  // namespace outrider::train
