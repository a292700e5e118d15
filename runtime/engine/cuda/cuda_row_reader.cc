#include "runtime/engine/cuda/cuda_row_reader.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::engine::cuda {
namespace {

std::size_t unsigned_of(int i) { return static_cast<std::size_t>(i); }

DeviceBuffer<int> copied(Device& device, std::span<const Token> tokens) {
  DeviceBuffer<int> there(device, tokens);
  device.synchronise();
  return there;
}

/// Whether a token is chosen by its noise.
bool draws_a_choice(const RowQuestion& question) {
  return question.is_chosen && question.ranked == 0 && question.temperature > 0;
}

}  // namespace

CudaRowReader::CudaRowReader(std::shared_ptr<Gpu> gpu, int num_logits,
                             const RowReaderOptions& options, std::size_t candidate_bytes)
    : gpu_(std::move(gpu)),
      num_logits_(num_logits),
      width_(options.width == 0 ? num_logits : options.width),
      top_(options.top),
      tokens_(copied(*gpu_->device, options.tokens)),
      most_with_candidates_(std::clamp<std::size_t>(
          candidate_bytes / (unsigned_of(width_) * sizeof(Candidate)), 1, kMostRows)),
      follower_(gpu_),
      graphs_(*gpu_->device) {
  if (width_ > num_logits) throw std::logic_error("RowReader: more logits than a row has");
  if (top_ < 0 || top_ > width_)
    throw std::logic_error("RowReader: more tokens than the vocabulary");
  if (tokens_.size() != 0 && tokens_.size() != unsigned_of(width_))
    throw std::logic_error("RowReader: the tokens are not those of the logits");
}

void CudaRowReader::check(const Logits& logits, std::span<const RowQuestion> questions) const {
  for (const RowQuestion& question : questions) {
    if ((question.is_chosen || question.ranked > 0 || question.is_scored || question.is_summed) &&
        (question.row < 0 || question.row >= logits.rows()))
      throw std::logic_error("RowReader: a row is asked for that the pass lacks");
    if (!question.allowed.empty() && question.allowed.size() != unsigned_of((width_ + 31) / 32))
      throw std::logic_error("RowReader: the tokens that may be chosen are of another vocabulary");
  }
}

void CudaRowReader::answer_drafts(const Logits& logits, std::span<const RowQuestion> questions,
                                  std::span<RowAnswer> answers,
                                  std::span<const AskedDraft> drafts) {
  const CudaLogits& there = checked(logits);
  check(logits, questions);
  for (std::size_t first = 0; first < questions.size(); first += kMostRows) {
    const std::size_t count = std::min(kMostRows, questions.size() - first);
    begin(questions.subspan(first, count), answers.subspan(first, count));
    if (rows_.empty()) continue;
    follower_.begin(drafts, first, choices_);
    send();
    follower_.send();
    if (std::exchange(moves_, memory_.moves) != memory_.moves) graphs_.clear();
    graphs_.run(form(there), [&] {
      launch({there.data(), there.stride()});
      follower_.launch(memory_.device_found.data());
      fetch();
    });
    gpu_->device->synchronise();
    // First, since a row that is no distribution is an error, and the keys and values were moved all the same.
    follower_.note_moves();
    take_results();
  }
}

const CudaLogits& CudaRowReader::checked(const Logits& logits) const {
  const auto* there = dynamic_cast<const CudaLogits*>(logits.elsewhere().get());
  if (there == nullptr || !there->is_of(*gpu_) || logits.width() != num_logits_)
    throw std::logic_error("RowReader: the logits are not those of a pass of its engine");
  return *there;
}

bool CudaRowReader::has_candidates(Kind kind) const {
  switch (kind) {
    case Kind::kFiltered:
    case Kind::kRankedFiltered:
      return true;
    case Kind::kSummedWithBest:
    case Kind::kScored:
      return top_ > 0;
    case Kind::kLargest:
    case Kind::kByNoise:
    case Kind::kRanked:
    case Kind::kSummed:
      break;
  }
  return false;
}

void CudaRowReader::add(Kind kind, const RowQuestion& question, RowAnswer& answer) {
  auto& of_kind = asked_[static_cast<std::size_t>(kind)];
  ReadRow row{.row = question.row,
              .changed = -1,
              .first_change = static_cast<int>(changes_.size()),
              .changes = 0,
              .first_allowed = -1,
              .candidates = has_candidates(kind)
                                ? static_cast<int>(of_kind.size() % most_with_candidates_)
                                : -1,
              .ranked = std::min(question.ranked, width_),
              .reach = question.reach,
              .top_k = question.top_k,
              .top_p = question.top_p,
              .lowest = question.min_p > 0 ? math::log(question.min_p)
                                           : -std::numeric_limits<double>::infinity(),
              .temperature = question.temperature,
              .seed = question.seed,
              .position = question.position};
  if (is_ranked(kind)) most_ranked_ = std::max(most_ranked_, row.ranked);
  if (!is_summed(kind) && !question.changes.empty()) {
    row.changes = static_cast<int>(question.changes.size());
    for (const LogitChange& change : question.changes)
      changes_.push_back({change.token, change.factor, change.less, change.more});
  }
  if (!is_summed(kind) && !question.allowed.empty()) {
    row.first_allowed = static_cast<int>(allowed_.size());
    allowed_.insert(allowed_.end(), question.allowed.begin(), question.allowed.end());
  }
  of_kind.push_back({&question, &answer});
  rows_.push_back(row);
}

void CudaRowReader::begin(std::span<const RowQuestion> questions, std::span<RowAnswer> answers) {
  // Kernels that choose take a logit's number for its token's.
  if (tokens_.size() != 0 && std::ranges::any_of(questions, draws_a_choice))
    throw std::logic_error(
        "RowReader: expected questions about the best tokens (ranked), since the logits are of "
        "some tokens only, found a choice by noise");
  rows_.clear();
  choices_.assign(questions.size(), 0);
  changes_.clear();
  allowed_.clear();
  most_ranked_ = 0;
  for (auto& of_kind : asked_) of_kind.clear();
  const auto wants = [](const RowQuestion& one, Kind kind) {
    if (kind == Kind::kScored) return one.is_scored;
    if (is_summed(kind)) return one.is_summed && one.wants_best == (kind == Kind::kSummedWithBest);
    if (!one.is_chosen && one.ranked == 0) return false;
    // Scores and sums find the largest logit too.
    if (one.wants_likeliest()) return kind == Kind::kLargest && !one.is_scored && !one.is_summed;
    if (is_ranked(kind) != (one.ranked > 0)) return false;
    const bool filters = one.temperature > 0 && one.filters();
    if (is_ranked(kind)) return filters == (kind == Kind::kRankedFiltered);
    return kind == (filters                ? Kind::kFiltered
                    : one.temperature == 0 ? Kind::kLargest
                                           : Kind::kByNoise);
  };
  for (std::size_t number = 0; number < kKinds; ++number) {
    const auto kind = static_cast<Kind>(number);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (!wants(questions[i], kind)) continue;
      if (chooses(kind, questions[i])) choices_[i] = static_cast<int>(rows_.size());
      add(kind, questions[i], answers[i]);
    }
  }
  if (rows_.empty()) return;
  int changed = 0;
  for (ReadRow& row : rows_)
    if (row.changes > 0 || row.first_allowed >= 0) row.changed = changed++;
  prepare(unsigned_of(changed));
}

/// Makes room for what is asked, and writes it. @param changed  rows
void CudaRowReader::prepare(std::size_t changed) {
  const std::size_t width = unsigned_of(width_), parts = unsigned_of(parts_of(width_));
  const std::size_t most_ranked = unsigned_of(most_ranked_);
  const std::size_t with_best = asked(Kind::kSummedWithBest) + asked(Kind::kScored);
  std::size_t with_candidates = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    if (has_candidates(static_cast<Kind>(kind)))
      with_candidates = std::max(with_candidates, asked_[kind].size());
  memory_.reserve(
      *gpu_->device,
      {.rows = rows_.size(),
       .changes = changes_.size(),
       .allowed = allowed_.size(),
       .changed = changed * width,
       .candidates = std::min(most_with_candidates_, with_candidates) * width,
       .parts = rows_.size() * parts,
       .part_ranks = asked(Kind::kRanked) * parts * most_ranked,
       .ranked = (asked(Kind::kRanked) + asked(Kind::kRankedFiltered)) * most_ranked,
       .best = with_best * unsigned_of(top_),
       .blocks = (asked(Kind::kSummed) + with_best) * unsigned_of(exp_blocks_of(width_))});
  std::copy(rows_.begin(), rows_.end(), memory_.rows.span().begin());
  std::copy(changes_.begin(), changes_.end(), memory_.changes.span().begin());
  std::copy(allowed_.begin(), allowed_.end(), memory_.allowed.span().begin());
}

void CudaRowReader::send() {
  memory_.device_rows.copy_to(memory_.rows.span().first(rows_.size()));
  memory_.device_changes.copy_to(memory_.changes.span().first(changes_.size()));
  memory_.device_allowed.copy_to(memory_.allowed.span().first(allowed_.size()));
}

void CudaRowReader::fetch() {
  const std::size_t with_best = asked(Kind::kSummedWithBest) + asked(Kind::kScored);
  const std::size_t ranked = asked(Kind::kRanked) + asked(Kind::kRankedFiltered);
  const std::size_t blocks =
      (asked(Kind::kSummed) + with_best) * unsigned_of(exp_blocks_of(width_));
  memory_.device_found.copy_from(memory_.found.span().first(rows_.size()));
  memory_.device_ranked.copy_from(memory_.ranked.span().first(ranked * unsigned_of(most_ranked_)));
  memory_.device_best.copy_from(memory_.best.span().first(with_best * unsigned_of(top_)));
  memory_.device_blocks.copy_from(memory_.blocks.span().first(blocks));
}

ReadArgs CudaRowReader::args_of(const CudaRows& rows, const Place& at, std::size_t count) const {
  return {.logits = rows.logits,
          .stride = rows.stride,
          .width = width_,
          .tokens = tokens_.data(),
          .rows = memory_.device_rows.data() + at.row,
          .found = memory_.device_found.data() + at.row,
          .count = static_cast<int>(count),
          .changes = memory_.device_changes.data(),
          .allowed = memory_.device_allowed.data(),
          .changed = memory_.changed.data(),
          .candidates = memory_.candidates.data(),
          .parts = memory_.parts.data() + at.row * unsigned_of(parts_of(width_)),
          .finished = memory_.finished.data() + at.row,
          .most_ranked = most_ranked_,
          .part_ranks = memory_.part_ranks.data(),
          .ranked = memory_.device_ranked.data() + at.ranked * unsigned_of(most_ranked_),
          .top = 0,
          .leaves_best = false,
          .best = memory_.device_best.data() + at.with_best * unsigned_of(top_),
          .blocks = memory_.device_blocks.data() + at.summed * unsigned_of(exp_blocks_of(width_))};
}

void CudaRowReader::launch(Kind kind, ReadArgs args) {
  GpuKernels& kernels = *gpu_->kernels;
  switch (kind) {
    case Kind::kLargest:
      return;
    case Kind::kByNoise:
      return kernels.choose_by_noise(args);
    case Kind::kFiltered:
      return kernels.choose_filtered(args);
    case Kind::kRanked:
      return kernels.rank(args);
    case Kind::kRankedFiltered:
      return kernels.rank_filtered(args);
    case Kind::kSummedWithBest:
    case Kind::kScored:
      args.top = top_;
      args.leaves_best = top_ > 0 && kind == Kind::kScored;
      break;
    case Kind::kSummed:
      break;
  }
  kernels.score_rows(args);
}

void CudaRowReader::Place::pass(Kind kind, std::size_t count) {
  row += count;
  if (is_ranked(kind)) ranked += count;
  if (is_summed(kind)) summed += count;
  if (is_summed(kind) && kind != Kind::kSummed) with_best += count;
}

/// Rows with candidates share their memory in turns. @param at  moves on
void CudaRowReader::launch_in_turns(Kind kind, const CudaRows& rows, std::size_t count, Place& at) {
  const std::size_t most = has_candidates(kind) ? most_with_candidates_ : kMostRows;
  for (std::size_t left = count; left > 0;) {
    const std::size_t now = std::min(left, most);
    launch(kind, args_of(rows, at, now));
    at.pass(kind, now);
    left -= now;
  }
}

void CudaRowReader::launch(const CudaRows& rows) {
  gpu_->kernels->find_largest(args_of(rows, {}, rows_.size()));
  Place at;
  for (std::size_t number = 0; number < kKinds; ++number) {
    const auto kind = static_cast<Kind>(number);
    launch_in_turns(kind, rows, asked(kind), at);
  }
}

void CudaRowReader::read(const CudaRows& rows, std::size_t first, std::size_t count) {
  Place begin;
  for (std::size_t number = 0; number < kKinds; ++number) {
    const auto kind = static_cast<Kind>(number);
    if (asked(kind) == 0) continue;
    Place at = begin;
    at.pass(kind, first);
    gpu_->kernels->find_largest(args_of(rows, at, count));
    launch_in_turns(kind, rows, count, at);
    begin.pass(kind, asked(kind));
  }
}

FoundLevel CudaRowReader::found_from(std::size_t first) const {
  // The first kind has the rankings, or the sums that found the likeliest token.
  const bool ranks = asked(Kind::kRanked) + asked(Kind::kRankedFiltered) > 0;
  const bool sums = asked(Kind::kSummed) + asked(Kind::kSummedWithBest) > 0;
  const int blocks = exp_blocks_of(width_);
  return {
      .asked = memory_.device_rows.data() + first,
      .found = memory_.device_found.data() + first,
      .ranked = ranks ? memory_.device_ranked.data() + first * unsigned_of(most_ranked_) : nullptr,
      .most_ranked = most_ranked_,
      .blocks = sums ? memory_.device_blocks.data() + first * unsigned_of(blocks) : nullptr,
      .exp_blocks = blocks};
}

PassForm CudaRowReader::form(const CudaLogits& logits) const {
  PassForm form{.rows = static_cast<int>(rows_.size()), .logits = logits.data()};
  static_assert(kFormNumbers == kKinds + 3);
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    form.more[kind] = static_cast<int>(asked_[kind].size());
  form.more[kKinds] = most_ranked_;
  form.more[kKinds + 1] = static_cast<int>(logits.stride());
  form.more[kKinds + 2] = follower_.count();
  return form;
}

}  // namespace outrider::engine::cuda
