#pragma once

#include <span>
#include <string_view>

#include "runtime/model/gguf/gguf_file.h"

namespace outrider::model {

/// Refuses the keys of an architecture that ask for something that is not supported, by what they mean, and those
/// that are not known.
/// @param prefix  of the architecture's keys: "llama."
/// @param known   the keys that are read elsewhere, without the prefix
/// @throws InputError naming the key
void refuse_other_keys(const GgufFile& file, std::string_view prefix,
                       std::span<const std::string_view> known);

/// The same for a tokenizer's keys. The ids of special tokens (`…_token_id`) are without effect where they are not
/// read.
void refuse_other_tokenizer_keys(const GgufFile& file, std::string_view prefix,
                                 std::span<const std::string_view> known);

}  // namespace outrider::model
