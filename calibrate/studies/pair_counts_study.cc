#include "calibrate/studies/pair_counts_study.h"

#include <fmt/core.h>

#include <algorithm>

#include "calibrate/answers/journal_of.h"
#include "calibrate/answers/pair_counter.h"
#include "calibrate/answers/stored_answers.h"
#include "data/reader/made_by.h"
#include "data/reader/stores_once.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/base/hash.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"

namespace outrider::calibrate {
namespace {

/// A file of traces.
struct ShardOf {
  const data::TraceStore* store;
  int number;

  std::int64_t tokens() const { return store->manifest().shards.at(number).output_tokens; }
};

std::vector<ShardOf> shards_of(const std::vector<data::TraceStore>& stores) {
  std::vector<ShardOf> shards;
  for (const data::TraceStore& store : stores)
    for (const int number : store.shards()) shards.push_back({&store, number});
  return shards;
}

PairCounter counted(const ShardOf& shard, int vocab) {
  PairCounter counter(vocab);
  for_each_answer_of(
      *shard.store, shard.number,
      [&](const Answer& answer, const data::ShardReader&, std::size_t) { counter.add(answer); });
  return counter;
}

/// Tells how long it takes to read shards, as far as one of them tells.
void plan(const std::vector<ShardOf>& left, int vocab, Watch& watch) {
  if (!watch.is_heard() || left.empty()) return;
  std::int64_t tokens = 0;
  for (const ShardOf& shard : left) tokens += shard.tokens();
  const Stopwatch time;
  counted(left.front(), vocab);
  const auto share = static_cast<double>(tokens) /
                     static_cast<double>(std::max<std::int64_t>(1, left.front().tokens()));
  watch.plan({{fmt::format("{} files of traces read, {} tokens", left.size(), tokens),
               share * time.seconds()}});
}

}  // namespace

CountedPairs count_pairs(const model::Model& model, const PairCountsStudy& study, Watch& watch) {
  data::StoresOnce given("--data");
  std::vector<data::TraceStore> stores;
  Hasher traces;
  for (const std::string& folder : study.data) {
    const data::TraceStore& store = stores.emplace_back(folder);
    data::check_made_by(store, model);
    given.add(store);
    check_has_traces(store);
    traces.add_text(data::content_hash(store.manifest()));
  }
  const int vocab = model.config.vocab;
  const std::vector<ShardOf> shards = shards_of(stores);
  data::Journal journal = journal_of(study.files.artifact, "pair_counts", model, traces.hex());
  const std::vector<ShardOf> left = journal.left_of(shards);
  plan(left, vocab, watch);
  PairCounter counter(vocab);
  for (const data::Journal::Entry& kept : journal.kept())
    if (!counter.add(kept)) journal.refuse();
  auto done = std::ssize(journal.kept());
  watch.begin("files of traces", std::ssize(shards), done);
  for (const ShardOf& shard : left) {
    if (watch.interrupted()) throw Interrupted();
    const std::vector<std::int32_t> numbers = counted(shard, vocab).numbers();
    journal.append(numbers);
    counter.add(numbers);
    watch.show(++done);
  }
  watch.end();
  const draft::PairCounts found = counter.pairs(study.least_count);
  study.files.write(artifacts::identity_of(model), artifacts::kPairCounts,
                    {.command = "calibrate pair-counts", .traces = traces.hex()},
                    [&](hdf5::Writer& file, const std::string& group) {
                      artifacts::write_pair_counts(found, file, group);
                    });
  journal.remove();
  return {counter.tokens(), found.size(), counter.share(study.least_count)};
}

}  // namespace outrider::calibrate
