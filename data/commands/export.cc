#include <fmt/core.h>

#include <memory>

#include "data/commands/commands.h"
#include "data/commands/unfinished.h"
#include "data/export/export_store.h"
#include "data/store/manifest.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::data {
namespace {

struct ExportCommandOptions {
  std::string folder;
  std::string format;
  ExportOptions what;
  std::string out;
  bool quiet = false;
};

void check(const ExportCommandOptions& options, const TraceStore& store) {
  if (options.what.ids_only && options.format != "safetensors") {
    throw InputError(
        "--ids-only: only with --to safetensors, where an id takes two or four bytes; jsonl writes "
        "them as text, answers has nothing else");
  }
  if (options.what.scores && options.format == "answers") {
    throw InputError("--scores: not with --to answers, which has token ids alone");
  }
  if (options.what.ids_only && options.what.scores) {
    throw InputError("--ids-only and --scores: give only one of them");
  }
  if (store.shards().empty()) {
    throw InputError(fmt::format("{}: no shard is finished yet", options.folder));
  }
}

void run(const ExportCommandOptions& options) {
  const TraceStore store(options.folder);
  check(options, store);
  warn_if_unfinished(store);
  OutputFile out("--out", options.out);
  catch_interrupts();
  cli::Progress progress("shards", std::ssize(store.shards()), options.quiet);
  const ShardDone show = [&progress](std::int64_t done) {
    progress.show(done);
    if (interrupted()) throw Interrupted();  // the partial file is removed
  };
  if (options.format == "jsonl") return export_jsonl(store, options.what, out, show);
  if (options.format == "answers") {
    if (const std::int64_t prompts = export_answers(store, out, show); prompts > 0)
      print_log("warning: left out: {} prompts of which samples are missing\n", prompts);
    return;
  }
  export_safetensors(store, options.what, out, show);
}

}  // namespace

cli::Command add_export(CLI::App& program) {
  auto options = std::make_shared<ExportCommandOptions>();
  cli::CommandOptions command(program, "export", "Write traces for other tools");
  command.add_option("DIR", options->folder, "A folder of traces").required().reads(store_at);
  command
      .add_option("--to", options->format,
                  "jsonl: one line per trace; safetensors: one tensor per property; answers: the "
                  "answers' token ids, from which data traces --answers makes the store again, "
                  "given the prompts, which it has not")
      .required()
      .check(cli::one_of({"jsonl", "safetensors", "answers"}));
  command.add_option("--out", options->out, "The file to write; - is standard output")
      .type_name("FILE")
      .writes()
      .required();
  command.add_flag("--scores", options->what.scores,
                   "Also the most likely tokens with their log-probabilities, and entropies");
  command.add_flag("--ids-only", options->what.ids_only,
                   "Token ids only: enough for training elsewhere, at most 4 bytes per token");
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options] { run(*options); }};
}

}  // namespace outrider::data
