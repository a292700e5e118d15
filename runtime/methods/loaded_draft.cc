#include "runtime/methods/loaded_draft.h"

#include <fmt/core.h>

#include <filesystem>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/draft_head.h"
#include "runtime/model/extend_context.h"
#include "runtime/model/identity.h"
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

model::Model read_model(const MethodTarget& target, const std::string& path,
                        const std::string& artifacts, std::optional<int> vocab) {
  if (is_artifact_file(path)) return read_trained(target, path);
  model::Model model = model::load_model(path);
  // For texts that are long to both.
  if (target.model().original_context > 0)
    model::extend_context(target.model().config.context, model);
  check_same_tokenizer(target.model(), model);
  trim_to_drafts(target, artifacts, vocab, model);
  return model;
}

/// What a draft model is known by while it is in use.
std::string name_of(const std::string& draft, const std::string& artifacts,
                    std::optional<int> vocab) {
  return is_artifact_file(draft) ? draft
                                 : fmt::format("{} {} {}", draft, vocab.value_or(-1), artifacts);
}

}  // namespace

bool is_artifact_file(const std::string& draft) {
  return std::filesystem::path(draft).extension() == ".h5";
}

std::string draft_identity(const std::string& draft, const model::Model& model) {
  if (is_artifact_file(draft))
    return artifacts::draft_hash(artifacts::ArtifactFile(std::filesystem::path(draft)));
  std::string hash = model::model_hash(model);
  if (model.head_tokens.empty()) return hash;
  Hasher of_head;
  of_head.add_text(hash);
  for (const Token token : model.head_tokens) of_head.add_number(static_cast<std::uint64_t>(token));
  return of_head.hex();
}

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
  auto loaded = target.load_once<LoadedDraft>(
      fmt::format("{} {}", name_of(draft, artifacts, vocab), *threads), [&] {
        const auto model = load_draft_model(target, draft, artifacts, vocab);
        return LoadedDraft{model, make_draft_engine(target, *model, *threads)};
      });
  if (is_artifact_file(draft) && vocab && *vocab != loaded->vocab())
    throw InputError(fmt::format(
        "--draft-vocab: expected none with {}, whose head was trained for {} tokens, found {}",
        draft, loaded->vocab(), *vocab));
  return loaded;
}

std::shared_ptr<const model::Model> load_draft_model(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts,
                                                     std::optional<int> vocab) {
  return target.load_once<model::Model>(name_of(draft, artifacts, vocab), [&] {
    return read_model(target, draft, artifacts, vocab);
  });
}

}  // namespace outrider::methods
