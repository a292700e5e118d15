#include "calibrate/studies/merge_work.h"

#include <fmt/core.h>

#include "data/journal/journal_parts.h"
#include "runtime/base/error.h"

namespace outrider::calibrate {

MergedWork merge_work(const std::filesystem::path& artifact) {
  MergedWork merged;
  for (const auto& [path, parts] : data::divided_journals(artifact)) {
    const data::UnfinishedParts found = data::merge_parts(path);
    ++merged.stages;
    merged.unfinished += found.are_whole() ? 0 : 1;
    merged.text += fmt::format(
        "{}: {}\n", path.string(),
        found.are_whole() ? fmt::format("all {} parts are finished", parts) : found.text());
  }
  if (merged.stages == 0)
    throw InputError(fmt::format(
        "{}: expected work of processes with --shard beside it, files {}.*-of-N.part, found none",
        artifact.string(), artifact.string()));
  return merged;
}

}  // namespace outrider::calibrate
