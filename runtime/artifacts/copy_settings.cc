#include "runtime/artifacts/copy_settings.h"

#include <span>

namespace outrider::artifacts {
namespace {

constexpr int kLongestDraft = 1 << 16;

template <typename T>
void add(Hdf5Writer& file, const std::string& path, const Dims& dims,
         const std::vector<T>& values) {
  file.add(path, dims, std::span<const T>(values), Packing::kPlain);
}

}  // namespace

void write_copy_settings(const CopySettings& settings, Hdf5Writer& file, const std::string& group) {
  const std::string place = group + "/settings/";
  const std::uint64_t lengths = settings.draft_lengths.size();
  const std::uint64_t thresholds = settings.thresholds.size();
  add<std::int32_t>(file, place + "context", {}, {settings.context});
  add<double>(file, place + "plain_tokens_per_second", {}, {settings.plain_tokens_per_second});
  add(file, place + "draft_lengths", {lengths}, settings.draft_lengths);
  add(file, place + "thresholds", {thresholds}, settings.thresholds);
  add(file, place + "tokens_per_pass", {lengths, thresholds}, settings.tokens_per_pass);
  add(file, place + "drafted_per_pass", {lengths, thresholds}, settings.drafted_per_pass);
  add(file, place + "tokens_per_second", {lengths, thresholds}, settings.tokens_per_second);
  add<std::int32_t>(file, place + "draft_length", {}, {settings.draft_length});
  add<double>(file, place + "threshold", {}, {settings.threshold});
}

CopySettings read_copy_settings(const Hdf5Reader& file, const std::string& group) {
  const std::string place = group + "/settings/";
  CopySettings settings;
  settings.context = file.read<std::int32_t>(place + "context", {}).front();
  settings.plain_tokens_per_second =
      file.read<double>(place + "plain_tokens_per_second", {}).front();
  settings.draft_lengths = file.read<std::int32_t>(place + "draft_lengths", {Hdf5Reader::kAny});
  settings.thresholds = file.read<double>(place + "thresholds", {Hdf5Reader::kAny});
  const Dims both = {settings.draft_lengths.size(), settings.thresholds.size()};
  settings.tokens_per_pass = file.read<double>(place + "tokens_per_pass", both);
  settings.drafted_per_pass = file.read<double>(place + "drafted_per_pass", both);
  settings.tokens_per_second = file.read<double>(place + "tokens_per_second", both);
  settings.draft_length = file.read<std::int32_t>(place + "draft_length", {}).front();
  if (settings.draft_length < 1 || settings.draft_length > kLongestDraft)
    file.refuse(place + "draft_length", "out of range");
  settings.threshold = file.read<double>(place + "threshold", {}).front();
  if (!(settings.threshold >= -1 && settings.threshold <= 1))
    file.refuse(place + "threshold", "expected a cosine");
  return settings;
}

}  // namespace outrider::artifacts
