#pragma once

#include <memory>

#include "runtime/draft/drafter.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"

namespace outrider {

struct DecodeOptions;

/// Reads the tables of the model.
/// @throws InputError when there is no artifact file of the model, when the one given is of another,
///         and when --drafts is more than the table keeps
void settle_ngrams(DecodeOptions& options, const model::Model& model, const engine::Engine& engine);

/// Whether drafts are merged.
draft::TreeForm form_of(const DecodeOptions& options);

/// The drafters; after settle_ngrams.
std::unique_ptr<draft::Drafter> make_unigram(const DecodeOptions& options);
std::unique_ptr<draft::Drafter> make_bigram(const DecodeOptions& options);
std::unique_ptr<draft::Drafter> make_ngrammys(const DecodeOptions& options);

}  // namespace outrider
