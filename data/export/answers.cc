#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "data/export/export_store.h"
#include "data/generate/answered_prompts.h"
#include "data/store/recorded_answers.h"
#include "runtime/base/error.h"
#include "runtime/hdf5/checksum.h"

namespace outrider::data {
namespace {

/// Gathers the answers to prompts from traces in the order of a store.
class Gatherer {
 public:
  explicit Gatherer(int samples) : samples_(static_cast<std::size_t>(samples)) {}

  void add(const ShardColumns& traces, std::size_t i) {
    const auto bytes = traces.ids[i];
    if (!std::equal(bytes.begin(), bytes.end(), current_.id.begin(), current_.id.end())) {
      end_prompt();
      current_.id.assign(bytes.begin(), bytes.end());
    }
    if (traces.turns[i] == 1) current_.samples.emplace_back();
    asked_->add(traces.prompts[i]);
    const auto answer = traces.outputs[i];
    is_whole_ = is_whole_ && !current_.samples.empty() &&
                std::cmp_equal(traces.samples[i], current_.samples.size());
    if (is_whole_) current_.samples.back().emplace_back(answer.begin(), answer.end());
  }

  /// Ends the prompt that was added to.
  void end_prompt() {
    current_.hash = asked_->value();
    if (is_whole_ && current_.samples.size() == samples_)
      prompts_.push_back(std::move(current_));
    else
      unfinished_ += current_.samples.empty() ? 0 : 1;
    current_ = {};
    asked_.emplace();
    is_whole_ = true;
  }

  std::vector<PromptAnswers> take() { return std::move(prompts_); }
  std::int64_t unfinished() const { return unfinished_; }

 private:
  std::size_t samples_;
  PromptAnswers current_;
  std::optional<AskedHash> asked_{std::in_place};
  bool is_whole_ = true;  // no sample before the last one is missing
  std::vector<PromptAnswers> prompts_;
  std::int64_t unfinished_ = 0;
};

}  // namespace

std::int64_t export_answers(const TraceStore& store, OutputFile& out, const ShardDone& done) {
  Gatherer gatherer(samples_of(store.identity(), store.folder().string()));
  std::int64_t shards = 0;
  for (const int shard : store.shards()) {
    const ShardReader reader = store.open(shard);
    for (std::size_t i = 0; i < reader.size(); ++i) gatherer.add(reader.columns(), i);
    done(++shards);
  }
  gatherer.end_prompt();
  const RecordedAnswers answers{store.identity(), gatherer.take()};
  if (answers.prompts.empty())
    throw InputError(fmt::format("{}: expected a prompt of which every sample is there, found none",
                                 store.folder().string()));
  std::vector<std::byte> bytes = encode_answers(answers);
  hdf5::add_checksum(bytes);
  out.write_all({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return gatherer.unfinished();
}

}  // namespace outrider::data
