#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/engine/engine.h"
#include "runtime/methods/method_target.h"
#include "runtime/model/model.h"

namespace outrider::methods {

/// A draft model, ready to draft for a target.
struct LoadedDraft {
  std::unique_ptr<const model::Model> model;
  std::shared_ptr<engine::Engine> engine;  // of `model`
};

/// @param draft    the setting: a GGUF file or a Hugging Face folder
/// @param threads  the setting; becomes the number used: nothing: the target's own threads
/// @throws InputError for a draft with another tokenizer than the target's, and a number of threads that
///         is neither 1 nor the target's
std::shared_ptr<const LoadedDraft> load_draft(const MethodTarget& target, const std::string& draft,
                                              std::optional<int>& threads);

/// The engine, which keeps the model that it is of.
inline std::shared_ptr<engine::Engine> engine_of(std::shared_ptr<const LoadedDraft> loaded) {
  engine::Engine* const engine = loaded->engine.get();
  return {std::move(loaded), engine};
}

}  // namespace outrider::methods
