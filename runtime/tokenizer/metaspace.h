#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// The text, which must not be empty, with its spaces replaced by marks, and a prefix mark as configured.
/// @param first  whether this is the start of the whole encoded text
std::string mark_spaces(std::string_view text, const Metaspace& metaspace, bool first);

/// Appends the words of a marked text: every mark begins a word.
void split_at_marks(std::string_view text, std::vector<std::string_view>& words);

}  // namespace outrider::text
