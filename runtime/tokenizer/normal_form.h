#pragma once

#include <string>
#include <string_view>

namespace outrider::text {

/// A text, valid UTF-8, in Unicode's normalisation form C, as Hugging Face `tokenizers` forms it:
/// letters and their marks composed where there is a character for both, marks in their canonical
/// order. Its tables are older than ours, so that marks that have come since stay where they are.
std::string normal_form_c(std::string_view text);

}  // namespace outrider::text
