#pragma once

#include "runtime/model/model.h"

namespace outrider::model {

/// Checks that a draft model's token ids mean what the target's mean: the same texts, and the same ones
/// special (never shown). Either may have further ids as padding, or special tokens that the other lacks: such ids are
/// never drafted. How texts become tokens is not compared: drafts are made of ids.
/// @throws InputError naming the first token that differs, in both models
void check_same_tokenizer(const Model& target, const Model& draft);

}  // namespace outrider::model
