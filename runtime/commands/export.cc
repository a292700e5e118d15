#include <fmt/core.h>

#include <memory>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/base/error.h"
#include "runtime/base/output_file.h"
#include "runtime/base/output_path.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/commands/commands.h"
#include "runtime/model/exported_tensors.h"
#include "runtime/model/extend_context.h"
#include "runtime/model/gguf/write_gguf.h"
#include "runtime/model/huggingface/write_hf_folder.h"

namespace outrider {
namespace {

constexpr const char* kExportExamples =
    "The draft model becomes a Llama with the target's whole vocabulary: a token that it cannot "
    "draft gets\n"
    "the mean of its head's rows, and so never the largest logit. A folder gets the tokenizer's "
    "files if the\n"
    "target is one; otherwise its tokenizer is that of the target.\n\n"
    "Examples:\n"
    "  runtime export -m MODEL.gguf --to gguf --out draft.gguf\n"
    "  runtime export -m MODEL.gguf --artifacts mine.h5 --to safetensors --out draft\n";

struct ExportOptions {
  std::string model;
  int context = 0;  // 0: the model's
  std::string artifacts;
  std::string to;
  std::string type = "stored";
  std::string out;
};

model::Model draft_of(const ExportOptions& options, const model::Model& target) {
  const artifacts::ArtifactSet known(artifacts::identity_of(target), options.artifacts,
                                     cli::artifact_folders());
  cli::tell_refused(known);
  const artifacts::ArtifactFile* const file = known.with(artifacts::kDraft, "train draft");
  if (file == nullptr)
    throw InputError(fmt::format(
        "no artifact file has a draft model for {}; `train draft` makes it", known.target().name));
  return artifacts::read_draft(*file, target);
}

void run_export(const ExportOptions& options) {
  const bool to_folder = options.to == "safetensors";
  if (to_folder) check_output_folder("--out", options.out);
  const model::Model target = model::load_for_context(options.model, options.context);
  const model::Model draft = model::with_whole_head(draft_of(options, target));
  if (to_folder) return model::write_hf_folder(draft, target, options.out);
  OutputFile out("--out", options.out);
  model::write_gguf(draft, target, options.type == "f32", out);
}

}  // namespace

cli::Command add_export(CLI::App& program) {
  auto options = std::make_shared<ExportOptions>();
  cli::CommandOptions command(program, "export", "Write a target's draft model for other programs");
  command.footer(kExportExamples);
  declare_model_flags(command, options->model, options->context);
  command
      .add_option(
          "--artifacts", options->artifacts,
          "Artifact file, or folder of such files, with the draft model (default: checkpoints/)")
      .type_name("FILE")
      .reads(cli::artifacts_at);
  command
      .add_option("--to", options->to,
                  "gguf: a file; safetensors: a Hugging Face folder, of floats")
      .required()
      .check(cli::one_of({"gguf", "safetensors"}));
  command
      .add_option("--type", options->type,
                  "Weights of a GGUF file: as they are stored, or as floats (f32)")
      .check(cli::one_of({"stored", "f32"}));
  command.add_option("--out", options->out, "The file or the folder to write")
      .type_name("PATH")
      .writes()
      .required();
  command.refuse_unless(
      {"type"}, [options] { return options->to == "gguf"; },
      "only with --to gguf; a folder has floats");
  return {command, [options] { run_export(*options); }};
}

}  // namespace outrider
