#include "calibrate/answers/made_traces.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "calibrate/answers/stored_answers.h"
#include "calibrate/answers/work_to_make.h"
#include "data/generate/batch_size.h"
#include "data/generate/trace_identity.h"
#include "data/generate/trace_run.h"
#include "data/store/trace_store.h"
#include "data/store/trace_writer.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/numbers.h"

namespace outrider::calibrate {
namespace {

constexpr int kFewSamples = 2, kManySamples = 8;
constexpr int kTop = 32;  // as of data traces

/// The samples of a store; 0 where there is none.
int samples_of(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder) || !data::has_manifest(folder)) return 0;
  const data::TraceStore store(folder);
  const std::string* samples = data::find_option(store.identity(), "samples");
  return samples == nullptr ? 0 : static_cast<int>(parse_integer(*samples).value_or(0));
}

}  // namespace

MadeTraces::MadeTraces(inference::Target& target, const MakingOptions& options,
                       std::filesystem::path folder, double seconds)
    : target_(target), options_(options), folder_(std::move(folder)) {
  int samples = options.samples > 0 ? options.samples : samples_of(folder_);
  if (samples == 0) {
    plan(kFewSamples);
    const double each = ahead_.making_seconds / kFewSamples;
    samples = static_cast<int>(
        std::clamp<double>(seconds / std::max(each, 1e-9), kFewSamples, kManySamples));
  }
  plan(samples);
}

void MadeTraces::plan(int samples) {
  recipe_ = recipe_of(options_, samples, kTop);
  prompts_ = prompts_of(target_, options_, recipe_);
  plan_.conversations = std::ssize(prompts_) * samples;
  plan_.conversations_per_shard = data::choose_shard_size(target_, recipe_, prompts_);
  std::vector<Answer> made;
  std::vector<int> conversations(static_cast<std::size_t>(plan_.conversations));
  std::iota(conversations.begin(), conversations.end(), 0);
  if (samples_of(folder_) == samples) {
    const data::TraceStore store(folder_);
    for (const int shard : store.shards()) {
      const auto first = plan_.first(shard), end = plan_.first(shard + 1);
      std::erase_if(conversations, [&](int c) { return c >= first && c < end; });
    }
    if (!store.shards().empty()) made = read_stored_answers(store);
  }
  ahead_ = work_to_make(target_, recipe_, prompts_, conversations, made);
}

void MadeTraces::make(const OnProgress& on_progress) {
  data::TraceWriter writer(folder_, data::trace_identity(target_, recipe_, prompts_), plan_,
                           target_.engine().place());
  std::int64_t done = 0, total = 0;
  for (const int shard : writer.missing()) total += plan_.first(shard + 1) - plan_.first(shard);
  if (total == 0) return;
  on_progress(0, total);
  data::TraceRun run(target_, recipe_, prompts_, plan_);
  const bool finished = run.run(
      writer.missing(), data::choose_batch(target_, recipe_, prompts_, 0),
      [&](int shard, std::span<const data::Trace> traces) { writer.write(shard, traces); },
      [&](const std::vector<data::Trace>&) { on_progress(++done, total); }, options_.interrupted);
  if (!finished) throw Interrupted();
}

}  // namespace outrider::calibrate
