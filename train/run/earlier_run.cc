#include "train/run/earlier_run.h"

#include <fmt/core.h>

#include <span>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/model/identity.h"
#include "train/run/work_folder.h"

namespace outrider::train {

bool names_run(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) || !std::filesystem::exists(path) ||
         is_checkpoint(path);
}

Checkpoint read_earlier_run(const std::filesystem::path& path, const model::Model& target,
                            const std::string& objective) {
  Checkpoint checkpoint = read_run(path);
  const nlohmann::json& identity = checkpoint.identity.at("objective");
  if (const auto found = identity.at("objective").get<std::string>(); found != objective)
    throw InputError(fmt::format("--start-from {}: expected a run of train {}, found one of {}",
                                 path.string(), objective, found));
  const auto expected = model::model_hash(target), found = identity.at("target").get<std::string>();
  if (found != expected)
    throw InputError(
        fmt::format("--start-from {}: expected a run for {}, whose hash is {}, found one for a "
                    "model whose hash is {}",
                    path.string(), target.path.string(), expected, found));
  return checkpoint;
}

std::string hash_of_best(const std::vector<SavedParameter>& parameters) {
  Hasher hasher;
  for (const SavedParameter& saved : parameters) {
    const std::vector<float>& values = saved.best.empty() ? saved.value : saved.best;
    hasher.add_text(saved.name);
    hasher.add_number(values.size());
    hasher.add(std::as_bytes(std::span(values)));
  }
  return hasher.hex();
}

}  // namespace outrider::train
