#pragma once

#include <string>
#include <string_view>

namespace outrider::text {

/// Unicode normalisation form C of valid UTF-8 text, as in Hugging Face `tokenizers`: letters and their
/// marks composed where a composed character exists, marks in canonical order. `tokenizers` has older
/// tables than utf8proc, so newer marks are left unchanged.
std::string normal_form_c(std::string_view text);

}  // namespace outrider::text
