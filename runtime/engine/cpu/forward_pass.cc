#include "runtime/engine/cpu/forward_pass.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "runtime/engine/cpu/alibi.h"
#include "runtime/engine/model_shape.h"

namespace outrider::engine::cpu {
namespace {

/// Grows by at least half, so that buffers that grow with the text are seldom reallocated.
template <typename T>
void grow(AlignedBuffer<T>& buffer, std::size_t count) {
  if (buffer.size() < count)
    buffer = AlignedBuffer<T>(std::max(count, buffer.size() + buffer.size() / 2));
}

/// The factor of attention's scores.
float score_scale(const model::ModelConfig& config) {
  return config.attention_scale > 0 ? config.attention_scale
                                    : 1.0f / std::sqrt(static_cast<float>(config.head_width));
}

bool has_post_norms(const PreparedLayer& layer) {
  return !layer.post_attn_norm.weight.empty() || !layer.post_ffn_norm.weight.empty();
}

}  // namespace

ForwardPass::ForwardPass(const model::Model& model, const PreparedWeights& weights,
                         const Kernels& kernels, const NumericsPlan& plan, ThreadTeam& team)
    : model_(model),
      config_(model.config),
      weights_(weights),
      kernels_(kernels),
      team_(team),
      kv_(plan.kv),
      kv_bound_(plan.kv_bound()),
      score_scale_(score_scale(config_)),
      adds_directly_(config_.residual_scale == 1 &&
                     std::none_of(weights.layers.begin(), weights.layers.end(), has_post_norms)),
      heads_share_blocks_(plan.quantised() && config_.head_width % 32 != 0),
      rope_(config_),
      slopes_(config_.positions == model::Positions::kAlibi ? alibi_slopes(config_.heads)
                                                            : std::vector<float>{}),
      qkv_width_(at(config_.heads + 2 * config_.kv_heads, config_.head_width)),
      given_(config_.state_inputs, plan.quantised()),
      normed_(config_.width, plan.quantised()),
      attended_(config_.heads * config_.head_width, plan.quantised()),
      gate_(config_.ffn_width, plan.quantised()),
      routing_(config_),
      expert_inputs_(config_.width, plan.quantised()),
      expert_gates_(config_.ffn_width, plan.quantised()) {
  if (config_.window_rope_base > 0)
    window_rope_.emplace(config_.window_rope_base, config_.rotary_width);
}

void ForwardPass::run(Pass& pass) {
  if (pass.rows.empty()) return;
  prepare(pass);
  team_.run([this](int thread) { run_thread(thread); });
  mark_too_large();
}

void ForwardPass::prepare(Pass& pass) {
  pass_ = &pass;
  find_caches(pass);
  layout_.assign(pass, config_.state_inputs > 0 ? 0 : config_.vocab, positions_of(config_));
  rows_ = static_cast<int>(pass.rows.size());
  logit_rows_.clear();
  int highest_slot = 0;
  for (int i = 0; i < rows_; ++i) {
    if (pass.rows[static_cast<std::size_t>(i)].wants_logits) logit_rows_.push_back(i);
    highest_slot = std::max(highest_slot, layout_[static_cast<std::size_t>(i)].slot);
  }
  const bool all = observes_last_layer();
  first_output_row_ = all ? 0 : logit_rows_.empty() ? rows_ : logit_rows_.front();
  const std::size_t rows = static_cast<std::size_t>(rows_);
  const std::size_t threads = static_cast<std::size_t>(team_.size());
  scratch_stride_ = Attention<float>::stride_for(highest_slot);
  const int group = config_.heads / config_.kv_heads;
  tiles_.divide(pass, layout_, 0, config_.kv_heads, group, team_.size());
  if (first_output_row_ > 0)
    last_tiles_.divide(pass, layout_, first_output_row_, config_.kv_heads, group, team_.size());
  grow(residual_, at(rows_, config_.width));
  if (!adds_directly_) grow(added_, at(rows_, config_.width));
  given_.reserve(rows_);
  normed_.reserve(std::max(rows_, kOwnNormRows * team_.size()));
  attended_.reserve(rows_);
  gate_.reserve(rows_);
  if (config_.experts > 0) {
    const int places = rows_ * config_.used_experts;
    grow(routed_, at(rows_, (config_.experts + 15) / 16 * 16));
    expert_inputs_.reserve(places);
    expert_gates_.reserve(places);
    grow(expert_up_, at(places, config_.ffn_width));
    grow(expert_outputs_, at(places, config_.width));
  }
  grow(qkv_, rows * qkv_width_);
  grow(up_, at(rows_, config_.ffn_width));
  grow(angles_, at(rows_, 2 * config_.head_width));
  grow(softmax_, at(rows_, config_.heads));
  grow(scratch_, threads * Attention<float>::scratch_floats(scratch_stride_, config_.head_width));

  logits_stride_ = static_cast<std::size_t>(weights_.head.matrix.panels()) * 16;
  logits_ = pass.logits.on_host(static_cast<int>(logit_rows_.size()),
                                static_cast<int>(model_.head.rows), logits_stride_);
  too_large_.assign(threads * rows, 0);
  prepare_taps(pass);
}

bool ForwardPass::observes_last_layer() const {
  const TapRequest& request = pass_->request;
  const auto is_last = [this](int layer) { return layer == config_.layers || layer == kFinalNorm; };
  return request.best_keys || std::any_of(request.layers.begin(), request.layers.end(), is_last) ||
         std::any_of(request.heads.begin(), request.heads.end(),
                     [&](const Head& head) { return is_last(head.layer); });
}

void ForwardPass::run_thread(int thread) {
  StepClock clock(thread == 0 ? pass_->times : nullptr);
  const auto finish = [&](Step step) {
    clock.lap(step);
    team_.barrier();
    clock.lap(Step::kWait);
  };
  embed(thread);
  finish(Step::kEmbed);
  copy_states(thread, 0);
  for (int l = 0; l < config_.layers; ++l) {
    const PreparedLayer& layer = weights_.layers[static_cast<std::size_t>(l)];
    const int first = l + 1 == config_.layers ? first_output_row_ : 0;
    project_qkv(thread, l, normalise(thread, layer.attn_norm, 0), first);
    finish(Step::kQkv);
    if (first == rows_) break;
    attend(thread, l);
    finish(Step::kAttention);
    copy_queries(thread, l);
    add_to_stream(thread, layer.o, attended_, first, layer.post_attn_norm);
    finish(Step::kAttentionOut);
    const int first_normed = normalise(thread, layer.ffn_norm, first);
    if (layer.experts.empty()) {
      feed_forward(thread, layer, first_normed, first);
      finish(Step::kFeedForward);
      add_to_stream(thread, layer.down, gate_, first, layer.post_ffn_norm);
      finish(Step::kDown);
    } else {
      mix_experts(thread, layer, first_normed, first);
      finish(Step::kFeedForward);
    }
    copy_states(thread, l + 1);
  }
  logits(thread);
  clock.lap(Step::kLogits);
}

void ForwardPass::find_caches(const Pass& pass) {
  caches_.clear();
  for (KvCache* cache : pass.sequences) {
    auto* const mine = dynamic_cast<CpuKvCache*>(cache);
    if (mine == nullptr || mine->type() != kv_ || !mine->fits(config_))
      throw std::logic_error("a pass: a sequence's cache was not made by this kind of engine");
    caches_.push_back(mine);
  }
}

CpuKvCache& ForwardPass::cache_of(int row) const {
  const int sequence = pass_->rows[static_cast<std::size_t>(row)].sequence;
  return *caches_[static_cast<std::size_t>(sequence)];
}

void ForwardPass::project_qkv(int thread, int l, int first_normed, int first) {
  const PreparedLayer& layer = weights_.layers[static_cast<std::size_t>(l)];
  const int head_panels = config_.head_width / 16;
  // Writes heads [begin, end) of rows from `row` on to the columns of qkv_ that start at head `column`.
  const auto project_heads = [&](const Projection& projection, int begin, int end, int column,
                                 int row) {
    float* out = qkv_row(row) + at(column, config_.head_width) - at(begin, config_.head_width);
    project(projection, {begin * head_panels, end * head_panels}, normed_, first_normed + row,
            rows_ - row, {out, qkv_width_, false});
  };
  // Threads divide whole heads, so that each rotates and stores its own results. A key head and its
  // value head belong together: they count as two of the units that the threads divide, all of them
  // where queries are few.
  const int query_units = first == 0 ? config_.heads : 0;
  const Share mine = share(query_units + 2 * config_.kv_heads, thread, team_.size());
  const Share queries =
      first == 0 ? Share{std::min(mine.begin, config_.heads), std::min(mine.end, config_.heads)}
                 : share(config_.heads, thread, team_.size());
  if (queries.begin < queries.end && first < rows_)
    project_heads(layer.q, queries.begin, queries.end, queries.begin, first);
  for (int head = queries.begin; head < queries.end; ++head) rotate_queries(l, head, first);
  for (int head = 0; head < config_.kv_heads; ++head) {
    const int unit = query_units + 2 * head;
    if (unit < mine.begin || unit >= mine.end) continue;
    project_heads(layer.k, head, head + 1, config_.heads + head, 0);
    project_heads(layer.v, head, head + 1, config_.heads + config_.kv_heads + head, 0);
    store_keys(thread, l, head);
  }
}

void ForwardPass::rotate_head(int row, const HeadOfLayer& of) {
  const int width = config_.head_width;
  float* head = qkv_row(row) + at(of.column, width);
  if (!of.norm.empty()) kernels_.rms_norm(head, of.norm.data(), width, config_.norm_epsilon, head);
  const bool rotates =
      config_.rotates.empty() || config_.rotates[static_cast<std::size_t>(of.layer)];
  const int rotated = rotates ? config_.rotary_width : 0;
  kernels_.rope(head, angles_of(of.layer, row), rotated, of.scale);
  for (int i = rotated; i < width; ++i) head[i] *= of.scale;
}

void ForwardPass::rotate_queries(int l, int head, int first) {
  const HeadOfLayer of{l, head, weights_.layers[static_cast<std::size_t>(l)].q_norm, score_scale_};
  for (int i = first; i < rows_; ++i) rotate_head(i, of);
}

void ForwardPass::store_keys(int thread, int l, int head) {
  const int width = config_.head_width;
  const HeadOfLayer of{l, config_.heads + head, weights_.layers[static_cast<std::size_t>(l)].k_norm,
                       1.0f};
  for (int i = 0; i < rows_; ++i) {
    rotate_head(i, of);
    const float* key = qkv_row(i) + at(config_.heads + head, width);
    const float* value = key + at(config_.kv_heads, width);
    CpuKvCache& cache = cache_of(i);
    const int slot = layout_[static_cast<std::size_t>(i)].slot;
    visit_kv(kv_, [&](auto kv) {
      using Kv = decltype(kv);
      const float most = kernels_.store_kv(key, value, width, slot, cache.keys<Kv>(l, head),
                                           cache.values<Kv>(l, head));
      if (most >= kv_bound_) too_large_[at(thread, rows_) + static_cast<std::size_t>(i)] = 1;
    });
  }
}

void ForwardPass::mark_too_large() {
  for (std::size_t i = 0; i < too_large_.size(); ++i) {
    if (too_large_[i] == 0) continue;
    const int row = static_cast<int>(i) % rows_;
    CpuKvCache& cache = cache_of(row);
    cache.mark_too_large(layout_[static_cast<std::size_t>(row)].slot - cache.length());
  }
}

void ForwardPass::feed_forward(int thread, const PreparedLayer& layer, int first_normed,
                               int first) {
  const std::size_t stride = static_cast<std::size_t>(config_.ffn_width);
  // Threads divide pairs of panels: a thread quantises its own outputs, in blocks of 32.
  const Share pairs = share(config_.ffn_width / 32, thread, team_.size());
  const Share mine = {2 * pairs.begin, 2 * pairs.end};
  const bool gated = model::is_gated(config_.activation);
  const int rows = rows_ - first;
  float* const gate = gate_.row(first);
  float* const up = gated ? up_.data() + at(first, config_.ffn_width) : gate;
  if (gated) project(layer.gate, mine, normed_, first_normed, rows, {gate, stride, false});
  project(layer.up, mine, normed_, first_normed, rows, {up, stride, false});
  const int begin = mine.begin * 16;
  const int count = (mine.end - mine.begin) * 16;
  for (int i = first; i < rows_; ++i) {
    activate(gate_.row(i) + begin, up_.data() + at(i, config_.ffn_width) + begin, count);
    gate_.finish(kernels_, i, begin, count);
  }
}

void ForwardPass::logits(int thread) {
  if (logit_rows_.empty()) return;
  const int count = static_cast<int>(logit_rows_.size());
  const Share mine = share(count, thread, team_.size());
  for (int i = mine.begin; i < mine.end; ++i)
    normalise_row(logit_rows_[static_cast<std::size_t>(i)], weights_.final_norm, i);
  team_.barrier();
  const Share panels = panels_of(thread, weights_.head);
  project(weights_.head, panels, normed_, 0, count, {logits_, logits_stride_, false});
  for (int i = 0; i < count; ++i)
    bound_logits(logits_ + static_cast<std::size_t>(i) * logits_stride_ + at(panels.begin, 16),
                 (panels.end - panels.begin) * 16);
}

void ForwardPass::bound_logits(float* logits, int count) const {
  if (config_.logit_divisor != 1)
    for (int n = 0; n < count; ++n) logits[n] /= config_.logit_divisor;
  if (config_.logit_cap > 0) kernels_.soft_cap(logits, count, config_.logit_cap);
}

void ForwardPass::add_to_stream(int thread, const Projection& projection, const RowBuffer& x,
                                int first, const PreparedNorm& norm) {
  const int width = config_.width;
  const std::size_t stride = static_cast<std::size_t>(width);
  const Share panels = panels_of(thread, projection);
  float* const stream = residual_.data() + at(first, width);
  if (adds_directly_)
    return project(projection, panels, x, first, rows_ - first, {stream, stride, true});
  float* const added = added_.data() + at(first, width);
  project(projection, panels, x, first, rows_ - first, {added, stride, false});
  team_.barrier();
  const Share mine = share(rows_ - first, thread, team_.size());
  for (int i = mine.begin; i < mine.end; ++i) {
    float* const row = added + at(i, width);
    normalise_numbers(row, norm, row);
    for (int n = 0; n < width; ++n)
      stream[at(i, width) + at(n, 1)] += config_.residual_scale * row[n];
  }
}

void ForwardPass::project(const Projection& projection, Share panels, const RowBuffer& x,
                          int first_row, int rows, const Output& out) const {
  const PackedMatrix& matrix = projection.matrix;
  Product args{.panels = matrix.data(),
               .inputs = matrix.inputs(),
               .first_panel = panels.begin,
               .last_panel = panels.end,
               .rows = rows,
               .x = nullptr,
               .quants = nullptr,
               .scales = nullptr,
               .activation_stride = 0,
               .out = out.data,
               .out_stride = out.stride,
               .accumulate = out.accumulate};
  x.read_by(args, first_row);
  kernels_.product(matrix.packing(), args);
  if (projection.bias.empty()) return;
  for (int i = 0; i < rows; ++i) {
    float* row = out.data + static_cast<std::size_t>(i) * out.stride;
    for (std::size_t n = at(panels.begin, 16); n < at(panels.end, 16); ++n)
      row[n] += projection.bias[n];
  }
}

Share ForwardPass::panels_of(int thread, const Projection& projection) const {
  return share(projection.matrix.panels(), thread, team_.size());
}

}  // namespace outrider::engine::cpu
