#pragma once

#include <span>
#include <vector>

#include "runtime/model/model.h"

namespace outrider::test {

/// A model of some layers of another, counted from 1, with the head rows of some tokens, ascending: what
/// a draft model has before training. It owns its head, and shares all else.
/// @param head_tokens  empty: the whole head
model::Model shallow_model(const model::Model& from, std::span<const int> layers,
                           std::vector<Token> head_tokens);

/// Every `step`th token of a vocabulary, the first one being `first`.
std::vector<Token> every_token(int vocab, Token first, int step);

}  // namespace outrider::test
