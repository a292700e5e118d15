#include "runtime/artifacts/copy_settings.h"

namespace outrider::artifacts {
namespace {

constexpr int kLongestDraft = 1 << 16;
constexpr const char* kByStep = "by_step";

}  // namespace

void write_copy_settings(const CopySettings& settings, Hdf5Writer& file, const std::string& group) {
  const std::string place = group + "/settings/";
  const Dims both = {settings.draft_lengths.size(), settings.thresholds.size()};
  file.add_number<std::int32_t>(place + "context", settings.context);
  file.add_number<double>(place + "plain_tokens_per_second", settings.plain_tokens_per_second);
  file.add<std::int32_t>(place + "draft_lengths", {both[0]}, settings.draft_lengths,
                         Packing::kPlain);
  file.add<double>(place + "thresholds", {both[1]}, settings.thresholds, Packing::kPlain);
  file.add<double>(place + "tokens_per_pass", both, settings.tokens_per_pass, Packing::kPlain);
  file.add<double>(place + "drafted_per_pass", both, settings.drafted_per_pass, Packing::kPlain);
  file.add<double>(place + "tokens_per_second", both, settings.tokens_per_second, Packing::kPlain);
  file.add_number<std::int32_t>(place + "draft_length", settings.draft_length);
  file.add_number<double>(place + "threshold", settings.threshold);
  if (settings.by_step) write_copy_lengths(*settings.by_step, file, place + kByStep);
}

CopySettings read_copy_settings(const Hdf5Reader& file, const std::string& group) {
  const std::string place = group + "/settings/";
  CopySettings settings;
  settings.context = file.read_number<std::int32_t>(place + "context");
  settings.plain_tokens_per_second = file.read_number<double>(place + "plain_tokens_per_second");
  settings.draft_lengths = file.read<std::int32_t>(place + "draft_lengths", {Hdf5Reader::kAny});
  settings.thresholds = file.read<double>(place + "thresholds", {Hdf5Reader::kAny});
  const Dims both = {settings.draft_lengths.size(), settings.thresholds.size()};
  settings.tokens_per_pass = file.read<double>(place + "tokens_per_pass", both);
  settings.drafted_per_pass = file.read<double>(place + "drafted_per_pass", both);
  settings.tokens_per_second = file.read<double>(place + "tokens_per_second", both);
  settings.draft_length = file.read_number<std::int32_t>(place + "draft_length");
  if (settings.draft_length < 1 || settings.draft_length > kLongestDraft)
    file.refuse(place + "draft_length", "out of range");
  settings.threshold = file.read_number<double>(place + "threshold");
  if (!(settings.threshold >= -1 && settings.threshold <= 1))
    file.refuse(place + "threshold", "expected a cosine");
  if (file.is_group(place + kByStep)) settings.by_step = read_copy_lengths(file, place + kByStep);
  return settings;
}

}  // namespace outrider::artifacts
