#include "runtime/engine/cuda/cuda_row_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "runtime/base/math.h"

namespace outrider::engine::cuda {
namespace {

std::size_t unsigned_of(int i) { return static_cast<std::size_t>(i); }

/// Makes a buffer of at least so many.
template <typename Buffer>
void grow(Device& device, Buffer& buffer, std::size_t now, std::size_t count) {
  if (now < count) buffer = Buffer(device, count + count / 2);
}
template <typename T>
void grow(Device& device, DeviceBuffer<T>& buffer, std::size_t count) {
  grow(device, buffer, buffer.size(), count);
}
template <typename T>
void grow(Device& device, HostBuffer<T>& buffer, std::size_t count) {
  grow(device, buffer, buffer.span().size(), count);
}

/// Why a row is refused; nullptr: it is not.
const char* why_refused(const RowFound& found) {
  if (found.has_nan != 0) return "RowReader: a logit is NaN";
  if (!std::isfinite(found.largest)) return "RowReader: the largest logit is infinite";
  return nullptr;
}

}  // namespace

CudaRowReader::CudaRowReader(std::shared_ptr<Gpu> gpu, int width, int top,
                             std::size_t candidate_bytes)
    : gpu_(std::move(gpu)),
      width_(width),
      top_(top),
      most_with_candidates_(std::clamp<std::size_t>(
          candidate_bytes / (unsigned_of(width) * sizeof(Candidate)), 1, kMostRows)) {
  if (top < 0 || top > width) throw std::logic_error("RowReader: more tokens than the vocabulary");
}

void CudaRowReader::answer(const Logits& logits, std::span<const RowQuestion> questions,
                           std::span<RowAnswer> answers) {
  const auto* there = dynamic_cast<const CudaLogits*>(logits.elsewhere().get());
  if (there == nullptr || !there->is_of(*gpu_) || logits.width() != width_)
    throw std::logic_error("RowReader: the logits are not those of a pass of its engine");
  for (const RowQuestion& question : questions) {
    if ((question.is_chosen || question.is_scored) &&
        (question.row < 0 || question.row >= logits.rows()))
      throw std::logic_error("RowReader: a row is asked for that the pass lacks");
    if (!question.allowed.empty() && question.allowed.size() != unsigned_of((width_ + 31) / 32))
      throw std::logic_error("RowReader: the tokens that may be chosen are of another vocabulary");
  }
  for (std::size_t first = 0; first < questions.size(); first += kMostRows) {
    const std::size_t count = std::min(kMostRows, questions.size() - first);
    answer_some(*there, questions.subspan(first, count), answers.subspan(first, count));
  }
}

void CudaRowReader::add(Kind kind, const RowQuestion& question, RowAnswer& answer) {
  const bool has_candidates = kind == Kind::kFiltered || (kind == Kind::kScored && top_ > 0);
  auto& of_kind = asked_[static_cast<std::size_t>(kind)];
  ReadRow row{
      .row = question.row,
      .changed = -1,
      .first_change = static_cast<int>(changes_.size()),
      .changes = 0,
      .first_allowed = -1,
      .candidates = has_candidates ? static_cast<int>(of_kind.size() % most_with_candidates_) : -1,
      .top_k = question.top_k,
      .top_p = question.top_p,
      .lowest =
          question.min_p > 0 ? math::log(question.min_p) : -std::numeric_limits<double>::infinity(),
      .temperature = question.temperature,
      .seed = question.seed,
      .position = question.position};
  if (kind != Kind::kScored && !question.changes.empty()) {
    row.changes = static_cast<int>(question.changes.size());
    for (const LogitChange& change : question.changes)
      changes_.push_back({change.token, change.factor, change.less, change.more});
  }
  if (kind != Kind::kScored && !question.allowed.empty()) {
    row.first_allowed = static_cast<int>(allowed_.size());
    allowed_.insert(allowed_.end(), question.allowed.begin(), question.allowed.end());
  }
  of_kind.push_back({&question, &answer});
  rows_.push_back(row);
}

void CudaRowReader::answer_some(const CudaLogits& logits, std::span<const RowQuestion> questions,
                                std::span<RowAnswer> answers) {
  rows_.clear();
  changes_.clear();
  allowed_.clear();
  for (auto& of_kind : asked_) of_kind.clear();
  for (const Kind kind : {Kind::kLargest, Kind::kByNoise, Kind::kFiltered, Kind::kScored})
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const RowQuestion& one = questions[i];
      const Kind of_choice = one.temperature == 0 ? Kind::kLargest
                             : one.filters()      ? Kind::kFiltered
                                                  : Kind::kByNoise;
      // Scores find the largest logit too.
      const bool is_chosen =
          one.is_chosen && !(one.is_scored && one.temperature == 0 && one.is_unchanged());
      if (kind == Kind::kScored ? one.is_scored : is_chosen && kind == of_choice)
        add(kind, one, answers[i]);
    }
  if (rows_.empty()) return;
  int changed = 0;
  for (ReadRow& row : rows_)
    if (row.changes > 0 || row.first_allowed >= 0) row.changed = changed++;
  reserve(rows_.size(), unsigned_of(changed));
  launch(logits, rows_.size());
  take_results();
}

void CudaRowReader::reserve(std::size_t rows, std::size_t changed) {
  Device& device = *gpu_->device;
  const std::size_t scored = asked_[static_cast<std::size_t>(Kind::kScored)].size();
  const std::size_t filtered = asked_[static_cast<std::size_t>(Kind::kFiltered)].size();
  const std::size_t with_candidates =
      std::min(most_with_candidates_, std::max(filtered, top_ > 0 ? scored : 0));
  grow(device, device_rows_, rows);
  grow(device, host_rows_, rows);
  grow(device, device_changes_, changes_.size());
  grow(device, host_changes_, changes_.size());
  grow(device, device_allowed_, allowed_.size());
  grow(device, host_allowed_, allowed_.size());
  grow(device, changed_, changed * unsigned_of(width_));
  grow(device, candidates_, with_candidates * unsigned_of(width_));
  grow(device, parts_, rows * unsigned_of(parts_of(width_)));
  grow(device, found_, rows);
  grow(device, host_found_, rows);
  grow(device, best_, scored * unsigned_of(top_));
  grow(device, host_best_, scored * unsigned_of(top_));
  grow(device, blocks_, scored * unsigned_of(exp_blocks_of(width_)));
  grow(device, host_blocks_, scored * unsigned_of(exp_blocks_of(width_)));
  if (finished_.size() < rows) {
    finished_ = {device, rows + rows / 2};
    finished_.fill(0);
  }
  std::copy(rows_.begin(), rows_.end(), host_rows_.span().begin());
  std::copy(changes_.begin(), changes_.end(), host_changes_.span().begin());
  std::copy(allowed_.begin(), allowed_.end(), host_allowed_.span().begin());
}

void CudaRowReader::launch(const CudaLogits& logits, std::size_t rows) {
  Device& device = *gpu_->device;
  device_rows_.copy_to(host_rows_.span().first(rows));
  device_changes_.copy_to(host_changes_.span().first(changes_.size()));
  device_allowed_.copy_to(host_allowed_.span().first(allowed_.size()));
  const std::size_t parts = unsigned_of(parts_of(width_)),
                    blocks = unsigned_of(exp_blocks_of(width_));
  std::size_t scored = 0;
  const auto some = [&](std::size_t first, std::size_t count) {
    return ReadArgs{.logits = logits.data(),
                    .stride = logits.stride(),
                    .width = width_,
                    .rows = device_rows_.data() + first,
                    .found = found_.data() + first,
                    .count = static_cast<int>(count),
                    .changes = device_changes_.data(),
                    .allowed = device_allowed_.data(),
                    .changed = changed_.data(),
                    .candidates = candidates_.data(),
                    .parts = parts_.data() + first * parts,
                    .finished = finished_.data() + first,
                    .top = top_,
                    .best = best_.data() + scored * unsigned_of(top_),
                    .blocks = blocks_.data() + scored * blocks};
  };
  gpu_->kernels->find_largest(some(0, rows));
  std::size_t first = asked_[static_cast<std::size_t>(Kind::kLargest)].size();
  if (const std::size_t count = asked_[static_cast<std::size_t>(Kind::kByNoise)].size();
      count > 0) {
    gpu_->kernels->choose_by_noise(some(first, count));
    first += count;
  }
  // Rows with candidates share their memory in turns.
  for (std::size_t left = asked_[static_cast<std::size_t>(Kind::kFiltered)].size(); left > 0;) {
    const std::size_t count = std::min(left, most_with_candidates_);
    gpu_->kernels->choose_filtered(some(first, count));
    first += count;
    left -= count;
  }
  for (std::size_t left = asked_[static_cast<std::size_t>(Kind::kScored)].size(); left > 0;) {
    const std::size_t count = std::min(left, most_with_candidates_);
    gpu_->kernels->score_rows(some(first, count));
    first += count;
    left -= count;
    scored += count;
  }
  found_.copy_from(host_found_.span().first(rows));
  best_.copy_from(host_best_.span().first(scored * unsigned_of(top_)));
  blocks_.copy_from(host_blocks_.span().first(scored * blocks));
  device.synchronise();
}

void CudaRowReader::take_results() {
  std::size_t row = 0, scored = 0;
  for (const auto& of_kind : asked_)
    for (const Asked& asked : of_kind) {
      const RowFound& found = host_found_[row++];
      const bool is_scored = &of_kind == &asked_[static_cast<std::size_t>(Kind::kScored)];
      const std::size_t score = is_scored ? scored++ : 0;  // a row that is refused has a place too
      if (const char* why = why_refused(found)) {
        if (!asked.question->may_be_rejected) throw std::logic_error(why);
        asked.answer->token = RowAnswer::kRefused;
        continue;
      }
      if (!is_scored) {
        asked.answer->token = found.token;
        continue;
      }
      asked.answer->likeliest = found.likeliest;
      asked.answer->largest = static_cast<float>(found.largest);
      if (asked.question->is_chosen && asked.question->temperature == 0 &&
          asked.question->is_unchanged())
        asked.answer->token = found.likeliest;
      take_score(score, *asked.answer);
    }
}

/// Also adds the sums of blocks, in their order.
void CudaRowReader::take_score(std::size_t scored, RowAnswer& answer) const {
  answer.best.clear();
  for (const ScoredToken& one :
       host_best_.span().subspan(scored * unsigned_of(top_), unsigned_of(top_)))
    answer.best.push_back({static_cast<float>(one.score), one.token});
  std::sort(answer.best.begin(), answer.best.end());
  const std::size_t blocks = unsigned_of(exp_blocks_of(width_));
  answer.rest = {};
  for (const ExpBlock& one : host_blocks_.span().subspan(scored * blocks, blocks)) {
    answer.rest.exp += static_cast<double>(one.exp);
    answer.rest.exp_times += static_cast<double>(one.exp_times);
  }
}

}  // namespace outrider::engine::cuda
