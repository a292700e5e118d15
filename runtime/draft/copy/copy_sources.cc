#include "runtime/draft/copy/copy_sources.h"

#include <algorithm>
#include <stdexcept>

#include "runtime/base/gumbel_noise.h"

namespace outrider::draft {
namespace {

std::span<const Token> continuation(std::span<const Token> text, int source) {
  return text.subspan(static_cast<std::size_t>(source) + 1);
}

bool better(const RankedSource& a, const RankedSource& b) {
  const float of_a = a.score + a.bonus, of_b = b.score + b.bonus;
  return of_a != of_b ? of_a > of_b : a.position > b.position;
}

}  // namespace

void copy_sources(std::span<const Token> text, std::vector<int>& sources) {
  sources.clear();
  for (std::size_t j = 0; j + 1 < text.size(); ++j) {
    if (text[j] == text.back()) sources.push_back(static_cast<int>(j));
  }
}

void add_logits(const DraftContext& context, std::span<const float> logits, double weight,
                std::vector<RankedSource>& scored) {
  const std::span<const Token> text = context.committed;
  const double temperature = context.sampling.options.temperature;
  const GumbelNoise noise(context.sampling.seed, static_cast<std::int64_t>(text.size()));
  for (RankedSource& source : scored) {
    const Token first = continuation(text, source.position)[0];
    const auto index = static_cast<std::size_t>(first);
    if (index >= logits.size()) throw std::logic_error("add_logits: no logit of this token");
    source.bonus = static_cast<float>(weight) * logits[index];
    if (temperature > 0)
      source.bonus += static_cast<float>(weight * temperature * noise.value(first));
  }
}

void best_sources(std::span<const Token> text, std::span<const RankedSource> scored, int most,
                  std::vector<RankedSource>& best) {
  best.clear();
  const auto agrees_with_one = [&](const RankedSource& source) {
    return std::any_of(best.begin(), best.end(), [&](const RankedSource& taken) {
      return continuation(text, taken.position)[0] == continuation(text, source.position)[0];
    });
  };
  while (static_cast<int>(best.size()) < most) {
    const RankedSource* next = nullptr;
    for (const RankedSource& source : scored)
      if ((next == nullptr || better(source, *next)) && !agrees_with_one(source)) next = &source;
    if (next == nullptr) break;
    best.push_back(*next);
  }
}

int matching_tokens(std::span<const Token> text, int source, int most) {
  const std::span<const Token> before = text.first(static_cast<std::size_t>(source) + 1);
  int matching = 0;
  while (matching < std::min(most, source + 1) &&
         before[before.size() - 1 - static_cast<std::size_t>(matching)] ==
             text[text.size() - 1 - static_cast<std::size_t>(matching)])
    ++matching;
  return matching;
}

void add_copies(TokenTree& tree, std::span<const Token> text, std::span<const RankedSource> sources,
                int length) {
  for (std::size_t rank = 0; rank < sources.size(); ++rank) {
    const std::span<const Token> after = continuation(text, sources[rank].position);
    tree.add_draft(after.first(std::min(after.size(), static_cast<std::size_t>(length))),
                   {.source = Source::kContext,
                    .rank = static_cast<int>(rank),
                    .position = sources[rank].position + 1});
  }
}

}  // namespace outrider::draft
