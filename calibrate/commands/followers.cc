#include "runtime/artifacts/followers.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "calibrate/answers/followers_counter.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/result_options.h"
#include "data/reader/made_by.h"
#include "data/reader/stores_once.h"
#include "data/store/context_length.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/model/extend_context.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kFollowersExamples =
    "Drafters of one pass compute the logits of all depths independently of each other's tokens. "
    "Counts of pairs\n"
    "of tokens in the target's answers correct that: parallelspec-* and medusa-heads add them to a "
    "depth's logits\n"
    "(--follow-weight of runtime decode). Tokens in loops do not count. An interrupted run "
    "continues "
    "when the same\n"
    "command is given again.\n\n"
    "Examples:\n"
    "  calibrate followers -m MODEL.gguf --data traces\n"
    "  calibrate followers -m MODEL.gguf --data traces-greedy traces-sampled --least-count 5\n";

struct FollowersOptions {
  std::string model;
  int context = 0;  // 0: that of the first traces
  std::vector<std::string> data;
  int least_count = 3;
  ResultOptions result;
  bool quiet = false;
};

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

FollowersCounter counted(const ShardOf& shard, int vocab) {
  FollowersCounter counter(vocab);
  for_each_answer_of(
      *shard.store, shard.number,
      [&](const Answer& answer, const data::ShardReader&, std::size_t) { counter.add(answer); });
  return counter;
}

/// Says how long it takes to read shards, as far as one of them tells.
void announce(const std::vector<ShardOf>& left, int vocab, const FollowersOptions& options) {
  if (options.quiet || left.empty()) return;
  std::int64_t tokens = 0;
  for (const ShardOf& shard : left) tokens += shard.tokens();
  const Stopwatch watch;
  counted(left.front(), vocab);
  const auto share = static_cast<double>(tokens) /
                     static_cast<double>(std::max<std::int64_t>(1, left.front().tokens()));
  cli::announce("calibrate followers",
                {{fmt::format("{} files of traces read, {} tokens", left.size(), tokens),
                  share * watch.seconds()}},
                options.result.minutes, false);
}

void run_followers(const FollowersOptions& options) {
  const model::Model model =
      model::load_for_context(options.model, options.context, data::context_length(options.data));
  const artifacts::TargetIdentity target = artifacts::identity_of(model);
  const auto path = result_file(options.result, target, artifacts::kFollowers);
  catch_interrupts();
  data::StoresOnce given("--data");
  std::vector<data::TraceStore> stores;
  Hasher traces;
  for (const std::string& folder : options.data) {
    const data::TraceStore& store = stores.emplace_back(folder);
    data::check_made_by(store, model);
    given.add(store);
    check_has_traces(store);
    traces.add_text(data::content_hash(store.manifest()));
  }
  const std::vector<ShardOf> shards = shards_of(stores);
  data::Journal journal = journal_of(path, "followers", model, traces.hex());
  announce(journal.left_of(shards), model.config.vocab, options);
  FollowersCounter counter(model.config.vocab);
  for (const data::Journal::Entry& kept : journal.kept())
    if (!counter.add(kept)) journal.refuse();
  auto done = std::ssize(journal.kept());
  cli::Progress progress("files of traces", std::ssize(shards), options.quiet, done);
  for (const ShardOf& shard : journal.left_of(shards)) {
    if (interrupted()) throw Interrupted();
    const std::vector<std::int32_t> numbers = counted(shard, model.config.vocab).numbers();
    journal.append(numbers);
    counter.add(numbers);
    progress.show(++done);
  }
  const draft::Followers found = counter.followers(options.least_count);
  write_result(options.result, target, artifacts::kFollowers, "calibrate followers", 0,
               traces.hex(), [&](hdf5::Writer& file, const std::string& group) {
                 artifacts::write_followers(found, file, group);
               });
  journal.remove();
  if (!options.quiet)
    print_log("{} tokens; {} pairs of at least {} occurrences, {:.1f} % of all; written to {}\n",
              counter.tokens(), found.size(), options.least_count,
              100 * counter.share(options.least_count), path.string());
}

}  // namespace

cli::Command add_followers(CLI::App& program) {
  auto options = std::make_shared<FollowersOptions>();
  cli::CommandOptions command(
      program, "followers",
      "Count pairs of tokens in the target's answers, for drafters of one pass");
  command.footer(kFollowersExamples);
  cli::declare_model_flags(command, options->model, options->context);
  command.add_list("--data", options->data, "Folders of the model's traces")
      .type_name("DIR")
      .required();
  command
      .add_option("--least-count", options->least_count, "Pairs that occur less often are left out")
      .check(cli::whole_number(1, 1 << 20));
  declare_result_flags(command, options->result);
  cli::declare_minutes_flag(command, options->result.minutes);
  command.add_flag("--quiet", options->quiet, "No figures on standard error");
  return result_command(command, options, run_followers);
}

}  // namespace outrider::calibrate
