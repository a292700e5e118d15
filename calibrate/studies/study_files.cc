#include "calibrate/studies/study_files.h"

#include <fmt/core.h>

#include "data/journal/journal_parts.h"
#include "data/journal/part_done.h"
#include "runtime/base/error.h"

namespace outrider::calibrate {

WorkShare StudyFiles::share(Watch& watch) const {
  const int there = data::parts_beside(artifact);
  if (shard.empty()) return {};
  WorkShare share = read_share(shard, there);
  if (there > 0 && share.parts > 1 && share.parts != there)
    throw InputError(
        fmt::format("{}: its work was divided with --shard I/{}, now with --shard I/{}; expected "
                    "the number that it was begun with, or no files {}.*-of-{}.part",
                    artifact.string(), there, share.parts, artifact.string(), there));
  if (const std::string text = share_text(shard, share); !text.empty()) watch.inform(text);
  return share;
}

std::filesystem::path StudyFiles::file_of(const artifacts::TargetIdentity& target,
                                          const std::string& group) const {
  return artifacts::checked_file_to_write(artifacts, folders, target, group);
}

StudyFiles StudyFiles::of_group(const artifacts::TargetIdentity& target,
                                const std::string& group) const {
  StudyFiles files = *this;
  files.artifact = file_of(target, group);
  return files;
}

std::string StudyFiles::to_read(const artifacts::TargetIdentity& target) const {
  return artifacts::file_to_read(artifacts, target);
}

artifacts::ArtifactSet StudyFiles::known(const artifacts::TargetIdentity& target,
                                         Watch& watch) const {
  artifacts::ArtifactSet known(target, to_read(target), folders);
  for (const std::string& file : known.refused()) watch.warn(file + "; left out");
  return known;
}

void StudyFiles::write(const artifacts::TargetIdentity& target, const std::string& group,
                       const MadeBy& how, const artifacts::FillGroup& fill) const {
  artifacts::replace_group(artifact, target, group,
                           {.command = how.command,
                            .options = resolved,
                            .seed = how.seed,
                            .traces = how.traces,
                            .place = how.place.text()},
                           fill);
}

std::filesystem::path StudyFiles::write_beside(const artifacts::TargetIdentity& target,
                                               const std::string& group, const MadeBy& how,
                                               const artifacts::FillGroup& fill,
                                               const std::string& of) const {
  const StudyFiles beside = of_group(target, of.empty() ? group : of);
  beside.write(target, group, how, fill);
  return beside.artifact;
}

void end_share(const WorkShare& share) {
  if (share.parts == 1) return;
  throw data::PartDone(fmt::format(
      "all {} parts are done: the same command without --shard writes the result", share.parts));
}

}  // namespace outrider::calibrate
