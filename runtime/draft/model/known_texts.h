#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/chooser.h"

namespace outrider::draft {

/// What an Oracle knows: of texts that plain decoding has generated, which of their tokens a draft model draws.
class KnownTexts {
 public:
  /// @param engine  of the draft model
  KnownTexts(std::shared_ptr<engine::Engine> engine, sampling::HeadVocabulary vocabulary);

  /// As TellPlainText. Forwards the text.
  void know(const DraftContext& text, int prompt);

  /// Hands out what is known of a text, once.
  /// @return [generated tokens] 1: the draft model draws that token after those before it
  /// @throws std::logic_error for a text that is not known
  std::vector<std::uint8_t> take(std::span<const Token> prompt, std::uint64_t seed);

 private:
  std::shared_ptr<engine::Engine> engine_;
  std::unique_ptr<sampling::Chooser> chooser_;
  std::map<std::pair<std::vector<Token>, std::uint64_t>, std::vector<std::uint8_t>> known_;
};

}  // namespace outrider::draft
