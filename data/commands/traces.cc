#include <fmt/core.h>

#include <memory>
#include <optional>

#include "data/commands/add_draft.h"
#include "data/commands/commands.h"
#include "data/commands/trace_options.h"
#include "data/commands/trace_summary.h"
#include "data/generate/answered_prompts.h"
#include "data/generate/batch_size.h"
#include "data/generate/byte_size.h"
#include "data/generate/prompt_selection.h"
#include "data/generate/size_estimate.h"
#include "data/generate/trace_identity.h"
#include "data/generate/trace_run.h"
#include "data/prompts/prompt_formats.h"
#include "data/reader/made_by.h"
#include "data/store/trace_writer.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/memory.h"
#include "runtime/base/output_file.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::data {
namespace {

constexpr const char* kTracesExamples =
    "An interrupted run continues when the same command is given again.\n"
    "Without --quiet an upper bound of the size is printed before anything is written. It and "
    "--budget are of\n"
    "the whole store, under --shard too. --fit stores less in this order: the states of the last\n"
    "layer given, of the one before it, ...; then half of --keep-top, a quarter, ..., none.\n\n"
    "Examples:\n"
    "  data traces -m MODEL.gguf --prompts PROMPTS.jsonl -o traces\n"
    "  data traces -m MODEL.gguf --prompts a.jsonl b.jsonl -o traces --budget 2GiB --fit\n"
    "  data traces -m MODEL.gguf --prompts PROMPTS.jsonl -o traces --samples 4 --temperature 0 "
    "0.8\n"
    "  data traces -m MODEL.gguf --prompts chats.json --format sharegpt --teacher reference -o "
    "scored\n"
    "  data traces -m MODEL.gguf --prompts PROMPTS.jsonl -o states --store features --layers 15 "
    "final\n"
    "  data traces -m MODEL.gguf --prompts PROMPTS.jsonl -o traces --shard 2/3\n"
    "  srun -n 8 data traces -m MODEL.gguf --prompts PROMPTS.jsonl -o traces --shard auto\n"
    "  data traces -m MODEL.gguf --prompts PROMPTS.jsonl --answers answers.h5 -o again\n"
    "  data traces -m MODEL.gguf --add-to traces\n";

void check_against_model(const Recipe& recipe, const model::ModelConfig& config) {
  sampling::check(recipe.sampler, config.vocab);
  if (recipe.top > config.vocab)
    throw InputError(fmt::format("--keep-top: found {}, expected at most {}, the vocabulary",
                                 recipe.top, config.vocab));
  for (const int layer : recipe.layers) {
    if (layer <= config.layers) continue;
    throw InputError(
        fmt::format("--layers: found {}, but the model has {} layers", layer, config.layers));
  }
}

std::vector<text::PromptRecord> read_records(const TraceOptions& options) {
  std::vector<text::PromptRecord> records = read_prompt_files(options.format, options.prompts);
  const auto limit = static_cast<std::size_t>(options.limit);
  if (limit > 0 && limit < records.size()) records.resize(limit);
  return records;
}

/// The state of one call of `data traces`, with resolved options.
class TracesCommand {
 public:
  explicit TracesCommand(const TraceOptions& options)
      : options_(options),
        recipe_(options.recipe),
        records_(read_records(options)),
        target_(target_of(options)) {}

  void run() {
    check_against_model(recipe_, target_.model().config);
    select();
    plan_.conversations = static_cast<std::int64_t>(selection_.prompts.size()) * recipe_.samples;
    plan_.conversations_per_shard = choose_shard_size(target_, recipe_, selection_.prompts);
    take_share(options_, options_.out, plan_);
    announce_size();
    warn_of_same_samples();
    OutputFile summary("--json", options_.json);
    catch_interrupts();
    return_large_blocks(1 << 20);  // those of long conversations
    const StoreIdentity identity = trace_identity(target_, recipe_, selection_.prompts);
    warn_of_other_bits(identity);
    TraceWriter writer(options_.out, identity, plan_, target_.engine().place());
    const decode::BatchStats stats = make_traces(writer);
    if (summary_.turns_beyond_context > 0)
      print_log("warning: left out: {} later turns that did not fit the context\n",
                summary_.turns_beyond_context);
    print(summary_.line());
    summary.write_all(json_of(summary_, stats, selection_, estimate_, target_.engine()));
    if (summary_.interrupted) throw Interrupted();
  }

 private:
  void print(const std::string& line) const {
    if (!options_.quiet) print_log("{}\n", line);
  }

  void select() {
    if (const auto& recorded = options_.recorded) {
      check_made_by(recorded->identity, options_.answers, target_);
      selection_ = select_answered(target_, recipe_, std::move(records_), *recorded,
                                   options_.answers, options_.skip_changed);
      given_ = answers_given(*recorded);
      return;
    }
    selection_ = select_prompts(target_, recipe_, std::move(records_), options_.skip_long,
                                options_.skip_refused);
    if (recipe_.given_answers) given_ = answers_in_records(target_);
  }

  void warn_of_other_bits(const StoreIdentity& identity) const {
    if (!options_.recorded || options_.recorded->identity.logits_hash == identity.logits_hash)
      return;
    print_log(
        "warning: {}: was made by arithmetic of other bits (hash of a fixed text's logits {}, here "
        "{}): states and probabilities are those of this program\n",
        options_.answers, options_.recorded->identity.logits_hash, identity.logits_hash);
  }

  /// Samples of one prompt at temperature 0 are equal.
  void warn_of_same_samples() const {
    int likeliest = 0;
    for (int sample = 1; sample <= recipe_.samples; ++sample)
      likeliest += recipe_.temperature_of(sample) == 0;
    if (likeliest < 2 || given_) return;
    print_log("warning: --samples {}: {} of each prompt are at temperature 0, so the same text\n",
              recipe_.samples, likeliest);
  }

  void announce_size() {
    const model::ModelConfig& config = target_.model().config;
    if (selection_.too_long > 0)
      print(fmt::format("left out: {} prompts that do not fit the context", selection_.too_long));
    if (selection_.unanswered > 0)
      print(fmt::format("left out: {} prompts without an answer to score", selection_.unanswered));
    estimate_ = estimate_size(target_, recipe_, selection_.prompts, plan_, given_);
    if (estimate_.cut_answers > 0)
      print(fmt::format("cut short: {} given answers, longer than --max-new {} or than the context",
                        estimate_.cut_answers, recipe_.max_new));
    print(estimate_.line(recipe_));
    if (!options_.most_bytes) return;
    if (!options_.fit) return check_budget(estimate_, recipe_, *options_.most_bytes);
    const std::string lowered = fit(estimate_, recipe_, config, *options_.most_bytes);
    if (!lowered.empty()) print(fmt::format("--fit: {}; {}", lowered, estimate_.line(recipe_)));
  }

  decode::BatchStats make_traces(TraceWriter& writer) {
    const std::vector<int> missing = writer.missing();
    std::int64_t conversations = 0;
    for (const int shard : missing) conversations += plan_.first(shard + 1) - plan_.first(shard);
    for (int shard = 0; shard < plan_.shards(); ++shard) summary_.shards += plan_.is_ours(shard);
    summary_.out = options_.out;
    summary_.shards_before = summary_.shards - static_cast<int>(missing.size());
    const BatchSize batch = choose_batch(target_, recipe_, selection_.prompts, options_.batch);
    summary_.batch = batch.conversations;

    TraceRun run(target_, recipe_, selection_.prompts, plan_, given_);
    const Stopwatch watch;
    summary_.memory = MemoryWatch();
    std::optional<cli::Progress> progress;
    progress.emplace("conversations", conversations, options_.quiet);
    const bool finished = run.run(
        missing, batch,
        [&](int shard, std::span<const Trace> traces) { write(writer, shard, traces); },
        [&](const std::vector<Trace>& traces) {
          count(traces);
          const double rate = static_cast<double>(summary_.output_tokens) / watch.seconds();
          progress->show(summary_.conversations, fmt::format("{:.4g} tokens/s", rate));
        },
        interrupted);
    summary_.interrupted = !finished;
    summary_.turns_beyond_context = run.turns_beyond();
    summary_.longest_shard_seconds = run.longest_shard_seconds();
    summary_.seconds = watch.seconds();
    return run.stats();
  }

  void write(TraceWriter& writer, int shard, std::span<const Trace> traces) {
    const Stopwatch watch;
    writer.write(shard, traces);
    ++summary_.shards_written;
    summary_.write_seconds += watch.seconds();
  }

  void count(const std::vector<Trace>& traces) {
    ++summary_.conversations;
    summary_.memory.sample();
    for (const Trace& trace : traces) {
      ++summary_.traces;
      summary_.prompt_tokens += static_cast<std::int64_t>(trace.prompt_tokens.size());
      summary_.output_tokens += static_cast<std::int64_t>(trace.output_tokens.size());
    }
  }

  const TraceOptions& options_;
  Recipe recipe_;
  std::vector<text::PromptRecord> records_;
  inference::Target target_;
  PromptSelection selection_;
  GivenAnswers given_;  // empty: the target generates them
  SizeEstimate estimate_;
  ShardPlan plan_;
  TraceSummary summary_;
};

}  // namespace

cli::Command add_traces(CLI::App& program) {
  auto options = std::make_shared<TraceOptions>();
  cli::CommandOptions command(program, "traces",
                              "Record the target's answers and distributions on prompts");
  declare_flags(command, *options);
  command.footer(kTracesExamples);
  return {command, [options, command] {
            options->given = command.given();
            if (!options->add_to.empty()) return add_draft_scores(*options);
            resolve(*options);
            TracesCommand(*options).run();
          }};
}

}  // namespace outrider::data
