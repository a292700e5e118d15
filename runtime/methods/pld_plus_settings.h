#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cli/decode_options.h"
#include "runtime/draft/copy/attention_ranking.h"
#include "runtime/draft/drafter.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/tap_request.h"
#include "runtime/model/model.h"

namespace outrider {

/// Heads as --heads writes them: "12:3,14:5", layer and head, layers counted from 1, heads from 0.
/// @throws InputError for another form
std::vector<engine::Head> parse_heads(const std::string& text);
std::string heads_text(const std::vector<engine::Head>& heads);

/// Sees that the method has what it needs, from its flags or else from the model's artifact file, and
/// that the model has the layer and the heads. `--heads 5` becomes the artifact's best five. Lengths of
/// drafts for each step go by what `calibrate cost` measured here for such an engine, or else by what
/// passes cost where they were found.
/// @throws InputError naming the flag
void settle_pld_plus_h(DecodeOptions& options, const model::Model& model,
                       const engine::Engine& engine);
void settle_pld_plus_a(DecodeOptions& options, const model::Model& model,
                       const engine::Engine& engine);

draft::Aggregation aggregation_of(const DecodeOptions& options);

/// The drafters, of settled options.
std::unique_ptr<draft::Drafter> make_pld_plus_h(const DecodeOptions& options);
std::unique_ptr<draft::Drafter> make_pld_plus_a(const DecodeOptions& options);

}  // namespace outrider
