#include "data/score/draft_scores_group.h"

namespace outrider::data {
namespace {

constexpr const char* kPrefix = "draft-";
constexpr const char* kDraftOption = "draft";
constexpr std::size_t kHashInName = 12;

template <typename T>
void append_column(const std::vector<T>& some, std::vector<T>& all) {
  all.insert(all.end(), some.begin(), some.end());
}

}  // namespace

GroupSpec draft_group(const std::string& draft, const std::string& numerics) {
  const auto column = [](const char* name, hdf5::NumberType type, std::uint64_t width = 1) {
    return GroupColumn{name, RowsOf::kOutput, type, width};
  };
  using hdf5::NumberType;
  return {
      kPrefix + draft.substr(0, kHashInName),
      {column("choice", NumberType::kInt32), column("log_q", NumberType::kFloat32),
       column("lead", NumberType::kFloat32), column("top", NumberType::kFloat32, DraftScores::kTop),
       column("entropy", NumberType::kFloat32), column("distance", NumberType::kFloat32),
       column("sampled_distance", NumberType::kFloat32), column("kept", NumberType::kFloat32),
       column("coupled", NumberType::kFloat32)},
      {{kDraftOption, draft}, {"draft-numerics", numerics}}};
}

std::string draft_of(const GroupSpec& spec) {
  if (!spec.name.starts_with(kPrefix)) return {};
  for (const auto& [name, value] : spec.options)
    if (name == kDraftOption) return value;
  return {};
}

void DraftColumns::add(const DraftScores& scores) {
  append_column(scores.choices, all_.choices);
  append_column(scores.log_q, all_.log_q);
  append_column(scores.leads, all_.leads);
  append_column(scores.top, all_.top);
  append_column(scores.entropies, all_.entropies);
  append_column(scores.distances, all_.distances);
  append_column(scores.sampled_distances, all_.sampled_distances);
  append_column(scores.kept, all_.kept);
  append_column(scores.coupled, all_.coupled);
}

std::vector<std::span<const std::byte>> DraftColumns::bytes() const {
  const auto of = [](const auto& column) { return std::as_bytes(std::span(column)); };
  return {of(all_.choices),
          of(all_.log_q),
          of(all_.leads),
          of(all_.top),
          of(all_.entropies),
          of(all_.distances),
          of(all_.sampled_distances),
          of(all_.kept),
          of(all_.coupled)};
}

DraftScores read_draft_scores(const TraceGroup& group, int shard) {
  const hdf5::Reader file = group.open(shard);
  const auto floats = [&](const char* name) { return group.read<float>(file, shard, name); };
  return {group.read<std::int32_t>(file, shard, "choice"),
          floats("log_q"),
          floats("lead"),
          floats("top"),
          floats("entropy"),
          floats("distance"),
          floats("sampled_distance"),
          floats("kept"),
          floats("coupled")};
}

}  // namespace outrider::data
