#include <limits>

#include "data/commands/trace_options.h"
#include "data/prompts/prompt_formats.h"
#include "data/store/manifest.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/draft_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"

namespace outrider::data {
namespace {

constexpr int kMostBatch = 4096;

void declare_prompt_flags(cli::CommandOptions& command, TraceOptions& options) {
  command.group("Prompts");
  command.add_list("--prompts", options.prompts, "Files with prompts")
      .type_name("FILE")
      .reads(cli::prompts_at);
  command.add_option("--format", options.format, prompt_format_help())
      .check(cli::one_of(prompt_format_names()))
      .brief("jsonl, spec-bench, sharegpt, openai or text");
  command.add_option("--limit", options.limit, "Number of prompts, from the first; 0: all")
      .check(cli::whole_number(0, std::numeric_limits<int>::max()));
  command
      .add_option("--turns", options.turns, "Turns of a prompt: all, one trace each, or the first")
      .check(cli::one_of({"first", "all"}));
  command.add_option("--samples", options.samples, "Conversations for each prompt")
      .check(cli::whole_number(1, 1'000'000));
  cli::declare_skip_refused_flag(command, options.skip_refused);
  command
      .add_flag("--skip-long", options.skip_long,
                "Leave out prompts that do not fit the context instead of refusing them")
      .rare();
  command
      .add_option("--teacher", options.teacher,
                  "own: the target generates the answers; reference: it scores those in the file")
      .check(cli::one_of({"own", "reference"}))
      .rare();
  command
      .add_option("--answers", options.answers,
                  "Answers of data export --to answers, which are scored in place of generating "
                  "them: makes the store that they are of again, given its prompts")
      .type_name("FILE")
      .reads()
      .rare();
  command
      .add_flag("--skip-changed", options.skip_changed,
                "Leave out answers whose prompt is missing or another one instead of refusing them")
      .rare();
  declare_chat_flags(command, options.target);
}

void declare_store_flags(cli::CommandOptions& command, TraceOptions& options) {
  command.group("Store");
  command
      .add_option("-o,--out", options.out, "Folder of the traces; an unfinished store is continued")
      .type_name("DIR")
      .reads(store_at)
      .brief("Folder of the traces; continued if unfinished");
  command.add_option("--keep-top", options.recipe.top, "Probabilities kept for every new token")
      .check(cli::whole_number(0, std::numeric_limits<int>::max()))
      .rare();
  command
      .add_option("--store", options.store,
                  "tokens, from which states can be recomputed, or features: states too")
      .check(cli::one_of({"tokens", "features"}))
      .rare();
  command
      .add_list("--layers", options.layers,
                "Layers whose states are stored: 1 is the first layer's output, 0 the embedding, "
                "final the state after the last norm")
      .type_name("N")
      .rare();
  command.add_option("--budget", options.budget, "Largest size of the store, such as 2GiB")
      .type_name("SIZE")
      .brief("Largest size of the store, such as 2GiB");
  command
      .add_flag("--fit", options.fit,
                "Store less until the budget is met: fewer layers, then half of --keep-top")
      .rare();
  command
      .add_option(
          "--shard", options.shard,
          "Generate part I of N, to divide the work; auto: the part of this process among those of "
          "srun, mpirun, torchrun or a job array, auto/N where these do not say how many there are")
      .type_name("I/N")
      .rare();
}

}  // namespace

void declare_flags(cli::CommandOptions& command, TraceOptions& options) {
  declare_model_flag(command, options.target.model);
  declare_prompt_flags(command, options);
  command.group("Length");
  declare_length_flags(command, options.generation, options.target);
  command.group("Sampling, as in runtime decode");
  command
      .add_list("--temperature", options.temperatures,
                "0: always the likeliest token, the default where the model's files say nothing; "
                "several: samples use them in turn")
      .type_name("T")
      .tells(options.generation.says_sampling);
  declare_sampler_flags(command, options.generation);
  declare_store_flags(command, options);
  command.group("Scores of a draft model");
  command
      .add_option("--add-to", options.add_to,
                  "A finished store whose traces a draft model is to score, in place of --prompts "
                  "and --out; the store itself is not changed")
      .type_name("DIR")
      .reads(store_at)
      .brief("A store whose traces a draft model is to score");
  cli::declare_draft_flags(command, options.draft, options.draft_vocab).rare();
  declare_machine_flags(command, options.target.engine, options.generation.prefill_chunk);
  command.add_option("--batch", options.batch, "Conversations at a time; 0: chosen for the machine")
      .check(cli::whole_number(0, kMostBatch))
      .rare();
  command.group("Output");
  command.add_option("--json", options.json, "Write a summary at the end; - is standard output")
      .type_name("FILE")
      .writes();
  command.add_flag("--quiet", options.quiet, "No estimate, progress or figures on standard error");
  command.group("Options");
}

}  // namespace outrider::data
