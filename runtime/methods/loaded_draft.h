#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/engine/engine.h"
#include "runtime/methods/method_target.h"
#include "runtime/model/model.h"

namespace outrider::methods {

/// A draft model, ready to draft for a target.
struct LoadedDraft {
  std::shared_ptr<const model::Model> model;
  std::shared_ptr<engine::Engine> engine;  // of `model`

  /// How many tokens it can draft: the value of --draft-vocab that it has.
  int vocab() const { return static_cast<int>(model->head.rows); }
  std::int64_t bytes() const {
    return engine->weight_bytes() + static_cast<std::int64_t>(model->kept_bytes());
  }
};

/// Sets the setting --draft-threads, where it has no value, to the target's threads.
/// @throws InputError for a number of threads that is neither 1 nor the target's
void resolve_draft_threads(const MethodTarget& target, std::optional<int>& threads);
/// An engine of a model that drafts, on one thread of its own or on the target's.
std::unique_ptr<engine::Engine> make_draft_engine(const MethodTarget& target,
                                                  const model::Model& model, int threads);

/// Whether a draft model is an artifact file's, by its name (*.h5), and no model of a file of its own.
bool is_artifact_file(const std::string& draft);

/// Identifies a draft model in results about it: of an artifact file artifacts::draft_hash, else
/// model::model_hash, with the tokens of a head that was trimmed.
/// @param draft  what it was read from
std::string draft_identity(const std::string& draft, const model::Model& model);

/// Sets `draft`, where it is empty, and `artifacts` to the artifact file found with a draft model.
/// @throws InputError where there is none
void find_draft(const MethodTarget& target, std::string& draft, std::string& artifacts);

/// @param draft      the setting: a GGUF file, a Hugging Face folder or an artifact file (*.h5); empty: the
///                   artifact file found, which it becomes
/// @param artifacts  the setting; becomes the file that was found
/// @param threads    the setting; nothing: those of the target, which it becomes
/// @param vocab      the setting --draft-vocab, of models from other files than artifacts: see trim_to_drafts
/// @throws InputError when there is no draft, for one with other tokens than the target's, for a number
///         of threads that is neither 1 nor the target's, and as trim_to_drafts
std::shared_ptr<const LoadedDraft> load_draft(const MethodTarget& target, std::string& draft,
                                              std::string& artifacts, std::optional<int>& threads,
                                              std::optional<int> vocab = {});
/// Its model, without an engine. @param draft, artifacts, vocab  as they are resolved there
std::shared_ptr<const model::Model> load_draft_model(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts,
                                                     std::optional<int> vocab);

/// The engine, which keeps the model that it is of.
template <typename Loaded>
std::shared_ptr<engine::Engine> engine_of(std::shared_ptr<const Loaded> loaded) {
  engine::Engine* const engine = loaded->engine.get();
  return {std::move(loaded), engine};
}

}  // namespace outrider::methods
