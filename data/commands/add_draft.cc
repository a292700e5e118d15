#include "data/commands/add_draft.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "data/generate/recorded_recipe.h"
#include "data/reader/made_by.h"
#include "data/score/draft_scores_group.h"
#include "data/store/group_writer.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/engine/engine_names.h"
#include "runtime/methods/trained_disco.h"

namespace outrider::data {
namespace {

/// The flags that --add-to goes with; all else is as the store was made.
constexpr std::array kWithAddTo = {"model",   "draft", "draft-vocab", "add-to", "shard",
                                   "threads", "isa",   "quiet",       "config"};

inference::TargetOptions as_recorded(const TraceStore& store, const TraceOptions& options) {
  inference::TargetOptions target = recorded_target(store.identity(), options.target.model);
  target.engine.threads = options.target.engine.threads;
  target.engine.isa = engine::isa_of(options.target.engine.isa);
  return target;
}

/// How often the draft model drew the target's own token.
struct Drawn {
  std::int64_t tokens = 0;
  std::int64_t same = 0;
};

/// One call of add_draft_scores.
class AddDraft {
 public:
  explicit AddDraft(const TraceOptions& options)
      : options_(options), store_(options.add_to), target_(as_recorded(store_, options)) {
    check_made_by(store_, target_);
    std::string draft = options.draft, artifacts;
    std::optional<int> threads;
    draft_ = methods::load_draft({target_.model(), target_.engine(), cli::artifact_folders(), 0,
                                  nullptr, cli::notices(options_.quiet)},
                                 draft, artifacts, threads, options.draft_vocab);
    hash_ = methods::draft_identity(draft, *draft_->model);
  }

  void run() {
    const GroupSpec spec = draft_group(hash_, draft_->engine->numerics_name());
    take_share(options_, store_.folder() / group_folder_name(spec.name), part_);
    catch_interrupts();
    GroupWriter writer(store_, spec, part_.part, part_.parts, target_.engine().place());
    const model::Model& model = *draft_->model;
    DraftScorer scorer(target_.engine(), *draft_->engine,
                       {model.head_tokens, model.config.vocab, target_.model().config.vocab},
                       recorded_recipe(store_.identity()).sampler);
    std::int64_t traces = 0, done = 0;
    for (const int shard : writer.missing()) traces += store_.manifest().shards.at(shard).traces;
    cli::Progress progress("traces", traces, options_.quiet);
    for (const int shard : writer.missing()) {
      const ShardReader reader = store_.open(shard);
      DraftColumns columns;
      for (std::size_t i = 0; i < reader.size(); ++i) {
        if (interrupted()) throw Interrupted();
        const Trace trace = reader.columns().trace(i, store_.identity().top_k);
        const DraftScores scores = scorer.score(trace);
        columns.add(scores);
        count(trace, scores);
        progress.show(++done);
      }
      writer.write(shard, columns.bytes());
    }
    if (!options_.quiet) tell(spec.name);
  }

 private:
  void count(const Trace& trace, const DraftScores& scores) {
    Drawn& drawn = drawn_[trace.temperature];
    for (std::size_t i = 0; i < trace.output_tokens.size(); ++i) {
      ++drawn.tokens;
      drawn.same += scores.choices[i] == trace.output_tokens[i];
    }
  }

  void tell(const std::string& group) const {
    for (const auto& [temperature, drawn] : drawn_)
      print_log("temperature {}: {} tokens, of which the draft model draws {:.3f}\n", temperature,
                drawn.tokens, static_cast<double>(drawn.same) / static_cast<double>(drawn.tokens));
    print_log("{}: group {} is complete as far as --shard {}/{}\n", options_.add_to, group,
              part_.part, part_.parts);
  }

  const TraceOptions& options_;
  TraceStore store_;
  inference::Target target_;
  std::shared_ptr<const methods::LoadedDraft> draft_;
  std::string hash_;
  ShardPlan part_;                 // with --shard alone
  std::map<double, Drawn> drawn_;  // by temperature
};

}  // namespace

void add_draft_scores(const TraceOptions& options) {
  for (const std::string& flag : options.given)
    if (std::find(kWithAddTo.begin(), kWithAddTo.end(), flag) == kWithAddTo.end())
      throw InputError(
          fmt::format("--{}: not with --add-to, which scores the traces as they were made", flag));
  AddDraft(options).run();
}

}  // namespace outrider::data
