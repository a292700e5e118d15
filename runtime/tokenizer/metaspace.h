#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// The text, not empty, with marks for its spaces, and one before it where that is asked for.
/// @param first  whether it stands at the very start of what is encoded
std::string mark_spaces(std::string_view text, const Metaspace& metaspace, bool first);

/// Appends the words of a marked text: every mark begins one.
void split_at_marks(std::string_view text, std::vector<std::string_view>& words);

}  // namespace outrider::text
