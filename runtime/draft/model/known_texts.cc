#include "runtime/draft/model/known_texts.h"

#include <stdexcept>

#include "runtime/draft/model/draft_along.h"

namespace outrider::draft {
namespace {

std::pair<std::vector<Token>, std::uint64_t> key_of(std::span<const Token> prompt,
                                                    std::uint64_t seed) {
  return {{prompt.begin(), prompt.end()}, seed};
}

}  // namespace

KnownTexts::KnownTexts(std::shared_ptr<engine::Engine> engine, sampling::HeadVocabulary vocabulary)
    : engine_(std::move(engine)),
      chooser_(sampling::make_draft_chooser(*engine_, std::move(vocabulary))) {}

void KnownTexts::know(const DraftContext& text, int prompt) {
  const std::span<const Token> tokens = text.committed;
  std::vector<std::uint8_t> agrees(tokens.size() - static_cast<std::size_t>(prompt));
  draft_along(*engine_, *chooser_, {.wants_softmax = false}, tokens, prompt, text.sampling,
              [&](std::size_t position, const sampling::DraftAnswer& drawn,
                  const engine::LogitsRow& /*row*/) {
                agrees[position - static_cast<std::size_t>(prompt)] =
                    drawn.chosen.token == tokens[position];
              });
  known_[key_of(tokens.first(static_cast<std::size_t>(prompt)), text.sampling.seed)] =
      std::move(agrees);
}

std::vector<std::uint8_t> KnownTexts::take(std::span<const Token> prompt, std::uint64_t seed) {
  auto found = known_.extract(key_of(prompt, seed));
  if (found.empty()) throw std::logic_error("KnownTexts: the text is not known");
  return std::move(found.mapped());
}

}  // namespace outrider::draft
