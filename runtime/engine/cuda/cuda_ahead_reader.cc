#include "runtime/engine/cuda/cuda_ahead_reader.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace outrider::engine::cuda {

static_assert(AheadReader::kMostRows <= CudaRowReader::kMostRows);

std::int64_t DraftedEmbedding::bytes(const model::Model& model) {
  return model.head.rows * model.config.width * static_cast<std::int64_t>(sizeof(float));
}

DraftedEmbedding::DraftedEmbedding(Device& device, const model::Model& model)
    : count(static_cast<int>(model.head.rows)), width(model.config.width) {
  const auto numbers = static_cast<std::size_t>(width);
  std::vector<float> all(static_cast<std::size_t>(count) * numbers);
  for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) {
    const Token token =
        model.head_tokens.empty() ? static_cast<Token>(row) : model.head_tokens[row];
    // A head may have rows of padding, which are never chosen.
    model.embed(token < model.config.vocab ? token : 0, all.data() + row * numbers);
  }
  states = DeviceBuffer<float>(device, all);
  device.synchronise();
}

CudaAheadReader::CudaAheadReader(std::shared_ptr<Gpu> gpu, CudaForward& forward,
                                 std::shared_ptr<const DraftedEmbedding> embedding, int num_logits,
                                 const RowReaderOptions& options)
    : gpu_(std::move(gpu)),
      forward_(forward),
      embedding_(std::move(embedding)),
      reader_(gpu_, num_logits, options),
      no_state_(static_cast<std::size_t>(forward_.ahead_state_width())),
      states_before_(*gpu_->device, kMostRows * own_width()),
      device_states_before_(*gpu_->device, kMostRows * own_width()),
      children_(*gpu_->device, kMostRows),
      device_children_(*gpu_->device, kMostRows),
      graphs_(*gpu_->device) {}

void CudaAheadReader::check(const Logits& logits, std::span<const RowBefore> before,
                            const Ahead& ahead, const AheadStates& states,
                            std::size_t questions) const {
  const auto rows = static_cast<std::size_t>(ahead.levels) * static_cast<std::size_t>(ahead.width);
  if (ahead.levels < 1 || ahead.width < 1 || ahead.children < 1 || before.empty() ||
      questions != before.size() + rows || questions > kMostRows ||
      std::max(static_cast<int>(before.size()), ahead.width) * ahead.children > kMostFollowing)
    throw std::logic_error("AheadReader: other levels than there are questions, or too many");
  if (!ahead.children_before.empty() && (std::ssize(ahead.children_before) != ahead.levels ||
                                         std::ranges::max(ahead.children_before) > ahead.children))
    throw std::logic_error("AheadReader: children before other levels, or more than there may be");
  for (const RowBefore& one : before)
    if (one.row < 0 || one.row >= logits.rows())
      throw std::logic_error("AheadReader: a row is asked for that the pass lacks");
  if (states.before.size() != before.size() * own_width() ||
      states.after.size() != rows * own_width())
    throw std::logic_error("AheadReader: a state of each row is wanted where rows read states");
}

void CudaAheadReader::answer(KvCache& cache, const Logits& logits,
                             std::span<const RowBefore> before, const Ahead& ahead,
                             const AheadStates& states, std::span<const RowQuestion> questions,
                             std::span<RowAnswer> answers, std::span<RowAhead> rows) {
  const CudaLogits& there = reader_.checked(logits);
  check(logits, before, ahead, states, questions.size());
  questions_.assign(questions.begin(), questions.end());
  for (std::size_t i = 0; i < questions_.size(); ++i)
    questions_[i].row =
        i < before.size() ? before[i].row : static_cast<int>(i - before.size()) % ahead.width;
  reader_.begin(questions_, answers);
  write_pass(cache, before, ahead);
  reserve(before.size(), pass_.rows.size());
  for (std::size_t i = 0; i < before.size(); ++i) chances_before_[i] = before[i].chance;
  std::copy(states.before.begin(), states.before.end(), states_before_.span().begin());
  for (int level = 0; level < ahead.levels; ++level) {
    const auto at = static_cast<std::size_t>(level);
    children_[at] = ahead.children_before.empty() ? ahead.children : ahead.children_before[at];
  }
  const int rows_before = static_cast<int>(before.size());
  forget_moved_memory(forward_.begin_ahead(pass_, paths_ ? &*paths_ : nullptr));
  PassForm form = reader_.form(there);
  form.rows = static_cast<int>(pass_.rows.size());
  form.splits = forward_.splits();
  form.request = pass_.request;
  const int own[] = {rows_before, ahead.width, ahead.children, ahead.has_noise,
                     paths_ ? paths_->before_length : 0};
  static_assert(CudaRowReader::kFormNumbers + std::size(own) <=
                std::tuple_size_v<decltype(form.more)>);
  std::copy(std::begin(own), std::end(own), form.more.begin() + CudaRowReader::kFormNumbers);
  chances_.copy_to(chances_before_.span().first(before.size()));
  device_children_.copy_to(children_.span().first(static_cast<std::size_t>(ahead.levels)));
  device_states_before_.copy_to(states_before_.span().first(states.before.size()));
  reader_.send();
  graphs_.run(form, [&] { launch({there.data(), there.stride()}, rows_before, ahead); });
  reader_.fetch();
  device_chosen_.copy_from(chosen_.span().first(rows.size()));
  forward_.end_ahead(pass_);
  reader_.take_results();
  std::copy_n(chosen_.span().begin(), rows.size(), rows.begin());
  if (paths_) take_rows(cache, before, ahead, rows);
  take_states(states.after);
}

/// As if each row followed the row in its place of the level before: their positions and slots are what they will be.
void CudaAheadReader::write_pass(KvCache& cache, std::span<const RowBefore> before,
                                 const Ahead& ahead) {
  pass_.sequences.assign(1, &cache);
  pass_.rows.clear();
  pass_.request.layers.clear();
  if (own_width() > 0) pass_.request.layers = {kFinalNorm};
  for (int i = 0; i < ahead.levels * ahead.width; ++i)
    pass_.rows.push_back({.parent = i < ahead.width ? before.front().parent : i - ahead.width,
                          .wants_logits = true,
                          .state = no_state_.data()});
  paths_.reset();
  if (ahead.width > 1 || before.size() > 1) find_paths(cache, before, ahead);
}

void CudaAheadReader::find_paths(const KvCache& cache, std::span<const RowBefore> before,
                                 const Ahead& ahead) {
  paths_ = {.before = static_cast<int>(before.size()),
            .before_length = 0,
            .slots = {},
            .width = ahead.width,
            .levels = ahead.levels};
  for (const RowBefore& one : before) {
    const auto first = static_cast<std::ptrdiff_t>(paths_->slots.size());
    static_assert(Row::held(Row::kCommitted) == KvCache::kCommitted);
    for (int row = Row::held(one.parent); row != KvCache::kCommitted; row = cache.parent(row))
      paths_->slots.push_back(cache.length() + row);
    std::reverse(paths_->slots.begin() + first, paths_->slots.end());
    const auto length = static_cast<int>(paths_->slots.size()) - static_cast<int>(first);
    if (&one != before.data() && length != paths_->before_length)
      throw std::logic_error("AheadReader: rows of several depths");
    paths_->before_length = length;
  }
}

void CudaAheadReader::reserve(std::size_t before, std::size_t rows) {
  Device& device = *gpu_->device;
  if (chances_before_.span().size() < before) chances_before_ = {device, before};
  if (chances_.size() >= before + rows && chosen_.span().size() >= rows) return;
  graphs_.clear();
  chances_ = {device, 2 * (before + rows)};
  chosen_ = {device, 2 * rows};
  device_chosen_ = {device, 2 * rows};
}

void CudaAheadReader::launch(const CudaRows& before, int rows_before, const Ahead& ahead) {
  reader_.read(before, 0, static_cast<std::size_t>(rows_before));
  for (int level = 0; level < ahead.levels; ++level) {
    choose(level, rows_before, ahead);
    const CudaRows rows = forward_.launch_ahead(level * ahead.width, ahead.width);
    reader_.read(rows, static_cast<std::size_t>(rows_before + level * ahead.width),
                 static_cast<std::size_t>(ahead.width));
  }
}

void CudaAheadReader::choose(int level, int rows_before, const Ahead& ahead) {
  // Rows of the level before, and of this one, among all.
  const int from = level == 0 ? 0 : rows_before + (level - 1) * ahead.width;
  const int to = rows_before + level * ahead.width;
  const int first = level * ahead.width;  // among those of the pass
  const int width = embedding_->width;
  const auto path_of = [&](int of) {
    return paths_ ? forward_.ahead_paths(paths_->at(of)) : nullptr;
  };
  gpu_->kernels->choose_ahead({.before = reader_.found_from(static_cast<std::size_t>(from)),
                               .rows = level == 0 ? rows_before : ahead.width,
                               .children = ahead.children,
                               .own_children = device_children_.data() + level,
                               .has_noise = ahead.has_noise,
                               .chances = chances_.data() + from,
                               .width = ahead.width,
                               .chosen = device_chosen_.data() + first,
                               .chances_out = chances_.data() + to,
                               .path = path_of(level - 1),
                               .path_stride = !paths_      ? 0
                                              : level == 0 ? paths_->before_length
                                                           : paths_->stride(),
                               .path_length = paths_ ? paths_->before_length + level : 0,
                               .path_out = path_of(level),
                               .path_out_stride = paths_ ? paths_->stride() : 0,
                               .out = forward_.ahead_rows(first),
                               .table = embedding_->states.data(),
                               .tokens = embedding_->count,
                               .state_width = width,
                               .own = own_width() == 0 ? nullptr
                                      : level == 0     ? device_states_before_.data()
                                                       : forward_.ahead_own(first - ahead.width),
                               .state = forward_.ahead_states(first),
                               .state_stride = forward_.ahead_state_width(),
                               .state_at = forward_.ahead_state_width() - width});
}

/// Tells the cache which rows the rows follow. Those that follow none stay where they are: nobody goes on from them.
void CudaAheadReader::take_rows(KvCache& cache, std::span<const RowBefore> before,
                                const Ahead& ahead, std::span<const RowAhead> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int own = cache.held() + static_cast<int>(i), parent = rows[i].parent;
    if (parent == RowAhead::kNone) continue;
    if (static_cast<int>(i) >= ahead.width) {
      cache.set_parent(own, own - static_cast<int>(i) % ahead.width - ahead.width + parent);
    } else if (const int above = before[static_cast<std::size_t>(parent)].parent;
               above != Row::kCommitted) {
      cache.set_parent(own, Row::held(above));
    }
  }
}

/// Takes the own states of all rows. @param states  [rows, own_width]
void CudaAheadReader::take_states(std::span<float> states) const {
  for (std::size_t i = 0; i * own_width() < states.size(); ++i) {
    const auto own = pass_.observed.state(kFinalNorm, static_cast<int>(i));
    std::copy(own.begin(), own.end(), states.subspan(i * own_width()).begin());
  }
}

/// What was recorded names memory that may be another one now. @param logits  of the rows
void CudaAheadReader::forget_moved_memory(const float* logits) {
  if (forward_moves_ != forward_.moves() || reader_moves_ != reader_.moves() || logits_ != logits)
    graphs_.clear();
  forward_moves_ = forward_.moves();
  reader_moves_ = reader_.moves();
  logits_ = logits;
}

}  // namespace outrider::engine::cuda
