#include "runtime/methods/loaded_draft.h"

#include <fmt/core.h>

#include <filesystem>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft.h"
#include "runtime/base/error.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/draft_head.h"
#include "runtime/model/extend_context.h"
#include "runtime/model/same_tokenizer.h"

namespace outrider::methods {
namespace {

/// The draft model of an artifact file. Its embedding is the target's.
model::Model read_trained(const MethodTarget& target, const std::string& path) {
  const artifacts::ArtifactFile file{std::filesystem::path(path)};
  file.check_made_for(target.identity());
  if (!file.has(artifacts::kDraft))
    throw InputError(
        fmt::format("--draft: {} has no {}; `train draft` makes it", path, artifacts::kDraft));
  return artifacts::read_draft(file, target.model());
}

bool is_artifact(const std::string& path) {
  return std::filesystem::path(path).extension() == ".h5";
}

model::Model read_model(const MethodTarget& target, const std::string& path,
                        const std::string& artifacts, std::optional<int> vocab) {
  if (is_artifact(path)) return read_trained(target, path);
  model::Model model = model::load_model(path);
  // For texts that are long to both.
  if (target.model().original_context > 0)
    model::extend_context(target.model().config.context, model);
  check_same_tokenizer(target.model(), model);
  trim_to_drafts(target, artifacts, vocab, model);
  return model;
}

LoadedDraft load(const MethodTarget& target, const std::string& draft, const std::string& artifacts,
                 int threads, std::optional<int> vocab) {
  LoadedDraft loaded;
  loaded.model = std::make_unique<const model::Model>(read_model(target, draft, artifacts, vocab));
  loaded.engine = make_draft_engine(target, *loaded.model, threads);
  return loaded;
}

}  // namespace

void resolve_draft_threads(const MethodTarget& target, std::optional<int>& threads) {
  const int all = target.engine().workers();
  threads = threads.value_or(all);
  if (*threads != 1 && *threads != all)
    throw InputError(fmt::format("--draft-threads: expected 1, or {} as the target has, found {}",
                                 all, *threads));
}

std::unique_ptr<engine::Engine> make_draft_engine(const MethodTarget& target,
                                                  const model::Model& model, int threads) {
  return target.engine().beside(model, {.threads = threads, .for_drafts = true});
}

void find_draft(const MethodTarget& target, std::string& draft, std::string& artifacts) {
  if (!draft.empty()) return;
  const Calibrated found = find_calibrated(target, artifacts, artifacts::kDraft, "train draft");
  if (found.file == nullptr)
    throw InputError(
        fmt::format("--draft: expected a model with the target's tokens: found no artifact file "
                    "for {} in {} with one; `train draft -m {}` makes it",
                    target.identity().name, folders_text(target), target.model().path.string()));
  draft = found.file->reader().name();
}

std::shared_ptr<const LoadedDraft> load_draft(const MethodTarget& target, std::string& draft,
                                              std::string& artifacts, std::optional<int>& threads,
                                              std::optional<int> vocab) {
  resolve_draft_threads(target, threads);
  find_draft(target, draft, artifacts);
  std::string name = fmt::format("{} {}", draft, *threads);
  if (!is_artifact(draft)) name += fmt::format(" {} {}", vocab.value_or(-1), artifacts);
  auto loaded = target.load_once<LoadedDraft>(
      name, [&] { return load(target, draft, artifacts, *threads, vocab); });
  if (is_artifact(draft) && vocab && *vocab != loaded->vocab())
    throw InputError(fmt::format(
        "--draft-vocab: expected none with {}, whose head was trained for {} tokens, found {}",
        draft, loaded->vocab(), *vocab));
  return loaded;
}

}  // namespace outrider::methods
