#include "runtime/engine/cuda/cuda_chain_reader.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::engine::cuda {

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

CudaChainReader::CudaChainReader(std::shared_ptr<Gpu> gpu, CudaForward& forward,
                                 std::shared_ptr<const DraftedEmbedding> embedding, int num_logits,
                                 const RowReaderOptions& options)
    : gpu_(std::move(gpu)),
      forward_(forward),
      embedding_(std::move(embedding)),
      reader_(gpu_, num_logits, options),
      no_state_(static_cast<std::size_t>(embedding_->width)),
      graphs_(*gpu_->device) {}

void CudaChainReader::answer(KvCache& cache, const LogitsRow& after,
                             std::span<const RowQuestion> questions, std::span<RowAnswer> answers) {
  const CudaLogits& there = reader_.checked(*after.of);
  if (questions.size() < 2 || questions.size() > CudaRowReader::kMostRows)
    throw std::logic_error(
        "ChainReader: expected 2 questions, and no more than rows are read at once");
  if (after.row < 0 || after.row >= after.of->rows())
    throw std::logic_error("ChainReader: a row is asked for that the pass lacks");
  questions_.assign(questions.begin(), questions.end());
  for (std::size_t i = 0; i < questions_.size(); ++i) questions_[i].row = i == 0 ? after.row : 0;
  reader_.begin(questions_, answers);
  pass_.sequences.assign(1, &cache);
  pass_.rows.clear();
  for (std::size_t i = 0; i + 1 < questions.size(); ++i) {
    const int before = cache.held() - 1;
    const int first = before < 0 ? Row::kCommitted : Row::held(before);
    pass_.rows.push_back({.parent = i == 0 ? first : static_cast<int>(i) - 1,
                          .wants_logits = true,
                          .state = no_state_.data()});
  }
  forget_moved_memory(forward_.begin_chain(pass_));
  const PassForm form{
      static_cast<int>(pass_.rows.size()), reader_.form(), forward_.splits(), there.data(), {}};
  reader_.send();
  graphs_.run(form, [&] {
    reader_.read(there.data(), there.stride(), 0);
    for (std::size_t row = 0; row < pass_.rows.size(); ++row) {
      gpu_->kernels->embed_choice({.chosen = reader_.chosen(row),
                                   .table = embedding_->states.data(),
                                   .rows = embedding_->count,
                                   .width = embedding_->width,
                                   .state = forward_.chain_state(static_cast<int>(row))});
      const CudaLogits& logits = forward_.launch_of_chain(static_cast<int>(row));
      reader_.read(logits.data(), logits.stride(), row + 1);
    }
  });
  reader_.fetch();
  forward_.end_chain(pass_);
  reader_.take_results();
}

/// What was recorded names memory that may be another one now. @param logits  of the rows
void CudaChainReader::forget_moved_memory(const float* logits) {
  if (forward_moves_ != forward_.moves() || reader_moves_ != reader_.moves() || logits_ != logits)
    graphs_.clear();
  forward_moves_ = forward_.moves();
  reader_moves_ = reader_.moves();
  logits_ = logits;
}

}  // namespace outrider::engine::cuda
