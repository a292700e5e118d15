#include "calibrate/ngrams/bigram_part.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/base/error.h"

namespace outrider::calibrate {
namespace {

using artifacts::ArtifactFile;
using artifacts::Hdf5Reader;

constexpr const char* kGroup = "/ngrammys_part";

}  // namespace

BigramPart::BigramPart(const std::filesystem::path& artifact, const std::string& name,
                       artifacts::TargetIdentity target, std::string settings)
    : path_(fmt::format("{}.{}.ngrams", artifact.string(), name)),
      target_(std::move(target)),
      settings_(std::move(settings)) {}

void BigramPart::load(BigramTable& table) const {
  if (!std::filesystem::exists(path_)) return;
  const ArtifactFile file(path_);
  const std::string group = kGroup;
  if (!artifacts::difference(file.target(), target_).empty() ||
      artifacts::read_provenance(file.reader(), group).options != settings_) {
    remove();  // it could not be replaced
    return;
  }
  const auto width = static_cast<std::uint64_t>(table.top);
  table.next = file.reader().read<std::int32_t>(group + "/next", {Hdf5Reader::kAny, width});
  const auto rows = static_cast<std::uint64_t>(table.rows());
  if (rows > static_cast<std::uint64_t>(target_.vocab))
    file.reader().refuse(group + "/next", "has more rows than the model has tokens");
  table.log_probs = file.reader().read<float>(group + "/log_probs", {rows, width});
}

void BigramPart::save(const BigramTable& table) const {
  const artifacts::Dims dims = {static_cast<std::uint64_t>(table.rows()),
                                static_cast<std::uint64_t>(table.top)};
  const auto fill = [&](artifacts::Hdf5Writer& file, const std::string& group) {
    file.add<std::int32_t>(group + "/next", dims, table.next, artifacts::Packing::kPlain);
    file.add<float>(group + "/log_probs", dims, table.log_probs, artifacts::Packing::kPlain);
  };
  artifacts::replace_group(path_, target_, kGroup, {"calibrate ngrams", settings_, 0, {}, {}, {}},
                           fill);
}

void BigramPart::remove() const {
  std::error_code none;
  std::filesystem::remove(path_, none);
  std::filesystem::remove(path_.string() + ".lock", none);
}

}  // namespace outrider::calibrate
