#pragma once

#include <filesystem>

#include "runtime/model/model.h"

namespace outrider::model {

/// Takes LongRoPE's divisors for long contexts if `context` is longer than the original training's, and the context is then
/// theirs; does nothing if it is not, or the model has none. They rotate every token in another way, the first ones
/// included, so this is decided once, at load, by the longest text that is asked for, not by the length of each text, as
/// llama.cpp does: the same tokens give the same bits however long the text becomes. The model is another one then:
/// model_hash says so. transformers decides by each text's own length.
/// @param context  in tokens; 0: the model's own
void extend_context(int context, Model& model);

/// The largest context that --ctx can ask for.
int most_context(const Model& model);

/// A model with the divisors for the longest text that is asked for.
/// @param asked     by --ctx, in tokens; 0: not asked
/// @param recorded  the context of traces that are read, if it is not asked for; 0: none
/// @throws InputError as load_model, and where more is asked for than the model has
Model load_for_context(const std::filesystem::path& path, int asked, int recorded = 0);

}  // namespace outrider::model
