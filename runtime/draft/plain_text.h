#pragma once

#include <functional>

#include "runtime/draft/drafter.h"

namespace outrider::draft {

/// Tells whoever has to know it, for bounds on what drafters can reach, a text that plain decoding generates. Called before
/// the text is decoded with such drafters; they find it by its prompt and its seed. Empty: nobody has to know it.
/// @param text    the prompt and the generated tokens, and the sampling of the generated ones, whose
///                counts are those of the prompt
/// @param prompt  tokens of the prompt
using TellPlainText = std::function<void(const DraftContext& text, int prompt)>;

}  // namespace outrider::draft
