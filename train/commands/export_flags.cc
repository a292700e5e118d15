#include "train/commands/export_flags.h"

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/cli/command_options.h"
#include "runtime/model/huggingface/export_folder.h"
#include "train/parallel/write_vllm_folder.h"

namespace outrider::train {

void declare_export_flags(cli::CommandOptions& command, ExportFlags& flags) {
  command
      .add_option(
          "--export-shape", flags.shape,
          "vllm: train the variant of eagle that vLLM serves (P-EAGLE), and the runtime "
          "does not: it reads states of three layers and learns tokens only, with a head of "
          "its own and one mask")
      .check(cli::one_of({"vllm"}));
  command.add_list("--state-layers", flags.state_layers,
                   "Three layers of the target whose states it reads, counted from 1 (default: of "
                   "n layers 2, n / 2 and n - 3)");
  command
      .add_option("--mask-token", flags.mask_token,
                  "Token whose embedding the masks read (default: the first that the tokenizer "
                  "does not use, else the one that ends texts)")
      .check(cli::whole_number(0, 1 << 24));
  command
      .add_option("--out", flags.out,
                  "Folder to write it to, as vLLM loads it (default: the checkpoint alone has it, "
                  "and --finish writes it)")
      .type_name("DIR");
}

void check_export(const ExportFlags& flags, const TrainingFlags& run) {
  if (flags.out.empty()) {
    if (run.finish) throw InputError("--finish: expected --out with --export-shape, found none");
    return;
  }
  check_own_folder("--out", flags.out, run);
  model::check_has_no_other_model(flags.out);
}

ExportShape export_shape(const ExportFlags& flags, const model::Model& target) {
  ExportShape shape = default_export_shape(target);
  cli::read_whole_numbers("--state-layers", flags.state_layers, 1, target.config.layers,
                          shape.layers);
  if (flags.mask_token) shape.mask_token = *flags.mask_token;
  check_export_shape(shape, target);
  return shape;
}

void write_export(const ExportFlags& flags, const ParallelObjective& objective,
                  const model::Model& target, bool quiet) {
  if (flags.out.empty()) {
    if (!quiet) print_log("kept in the checkpoint; --finish with --out DIR writes it for vLLM\n");
    return;
  }
  write_vllm_folder(dynamic_cast<const ExportDrafter&>(objective.drafter()), target, flags.out);
  if (!quiet) print_log("written to {}\n", flags.out);
}

}  // namespace outrider::train
