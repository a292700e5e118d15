#include "train/run/export_options.h"

#include "runtime/base/error.h"
#include "runtime/model/huggingface/export_folder.h"

namespace outrider::train {

void check_export(const ExportOptions& options, const RunOptions& run) {
  if (options.out.empty()) {
    if (run.finish) throw InputError("--finish: expected --out with --export-shape, found none");
    return;
  }
  check_own_folder("--out", options.out, run);
  model::check_has_no_other_model(options.out);
}

ExportShape export_shape(const ExportOptions& options, const model::Model& target) {
  ExportShape shape = default_export_shape(target);
  if (!options.state_layers.empty()) shape.layers = options.state_layers;
  if (options.mask_token) shape.mask_token = *options.mask_token;
  check_export_shape(shape, target);
  return shape;
}

}  // namespace outrider::train
