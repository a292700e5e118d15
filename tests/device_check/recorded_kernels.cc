#include "tests/device_check/recorded_kernels.h"

#include <fmt/core.h>

namespace outrider::device_check {

using engine::cpu::Packing;
namespace cuda = engine::cuda;

const char* packing_name(Packing packing) {
  constexpr const char* kNames[engine::cpu::kNumPackings] = {
      "F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"};
  return kNames[static_cast<std::size_t>(packing)];
}

void RecordedKernels::call(KernelCall call) {
  call.again();
  if (recording_) calls_.push_back(std::move(call));
}

void RecordedKernels::product(Packing packing, const cuda::ProductArgs& args, bool spread) {
  std::size_t panels = 0;
  std::string outputs;
  for (int i = 0; i < args.count; ++i) {
    panels += static_cast<std::size_t>(args.matrices[i].num_panels);
    outputs += fmt::format("{}{}", i == 0 ? "" : "+", 16 * args.matrices[i].num_panels);
  }
  call({.name = fmt::format("product {} {}x{}", packing_name(packing), args.inputs, outputs),
        .weight_bytes = engine::cpu::panel_bytes(packing, args.inputs) * panels,
        .reads_memory = true,
        .again = [=, this] { kernels_->product(packing, args, spread); }});
}

void RecordedKernels::gated_product(Packing packing, const cuda::GatedArgs& args, bool spread) {
  const int panels = 2 * args.num_panels;
  call({.name = fmt::format("gated {} {}x2*{}", packing_name(packing), args.inputs,
                            16 * args.num_panels),
        .weight_bytes =
            engine::cpu::panel_bytes(packing, args.inputs) * static_cast<std::size_t>(panels),
        .reads_memory = true,
        .again = [=, this] { kernels_->gated_product(packing, args, spread); }});
}

void RecordedKernels::normalise(const cuda::NormArgs& args) {
  call({.name = fmt::format("{} {}", args.weight == nullptr ? "quantise" : "normalise", args.width),
        .again = [=, this] { kernels_->normalise(args); }});
}

void RecordedKernels::activate(const cuda::ActivationArgs& args) {
  call({.name = fmt::format("activate {}", args.width),
        .again = [=, this] { kernels_->activate(args); }});
}

void RecordedKernels::prepare_heads(const cuda::HeadsArgs& args) {
  call({.name = "prepare heads", .again = [=, this] { kernels_->prepare_heads(args); }});
}

void RecordedKernels::attend(const cuda::AttentionArgs& args) {
  call({.name = fmt::format("attend, {} splits", args.max_splits),
        .reads_memory = true,
        .again = [=, this] { kernels_->attend(args); }});
}

void RecordedKernels::weigh_keys(const cuda::WeighArgs& args) {
  call({.name = "weigh keys", .again = [=, this] { kernels_->weigh_keys(args); }});
}

void RecordedKernels::copy_queries(const cuda::QueryArgs& args) {
  call({.name = "copy queries", .again = [=, this] { kernels_->copy_queries(args); }});
}

void RecordedKernels::move_slots(const cuda::MoveArgs& args) {
  call({.name = "move slots", .again = [=, this] { kernels_->move_slots(args); }});
}

void RecordedKernels::find_largest(const cuda::ReadArgs& args) {
  call({.name = "find largest", .again = [=, this] { kernels_->find_largest(args); }});
}

void RecordedKernels::choose_by_noise(const cuda::ReadArgs& args) {
  call({.name = "choose by noise", .again = [=, this] { kernels_->choose_by_noise(args); }});
}

void RecordedKernels::choose_filtered(const cuda::ReadArgs& args) {
  call({.name = "choose filtered", .again = [=, this] { kernels_->choose_filtered(args); }});
}

void RecordedKernels::follow_drafts(const cuda::FollowArgs& args) {
  call({.name = "follow drafts", .again = [=, this] { kernels_->follow_drafts(args); }});
}
void RecordedKernels::move_paths(const cuda::MovePathArgs& args) {
  call({.name = "move paths", .again = [=, this] { kernels_->move_paths(args); }});
}

void RecordedKernels::choose_ahead(const cuda::AheadArgs& args) {
  call({.name = "choose ahead", .again = [=, this] { kernels_->choose_ahead(args); }});
}

void RecordedKernels::rank(const cuda::ReadArgs& args) {
  call({.name = "rank", .again = [=, this] { kernels_->rank(args); }});
}

void RecordedKernels::rank_filtered(const cuda::ReadArgs& args) {
  call({.name = "rank filtered", .again = [=, this] { kernels_->rank_filtered(args); }});
}

void RecordedKernels::score_rows(const cuda::ReadArgs& args) {
  call({.name = "score rows", .again = [=, this] { kernels_->score_rows(args); }});
}

}  // namespace outrider::device_check
