#include "runtime/sampling/cpu_chooser.h"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>

namespace outrider::sampling {

CpuChooser::CpuChooser(engine::Engine& engine, std::optional<int> top)
    : engine_(engine), top_(top) {
  readers_.push_back(new_reader());
}

CpuChooser::Reader CpuChooser::new_reader() const {
  Reader reader = {TokenChoice(engine_.num_logits()), {}};
  if (top_) reader.scorer.emplace(*top_, engine_.num_logits(), engine_.score_kernels());
  return reader;
}

CpuChooser::Reader& CpuChooser::reader_of(int thread) {
  const std::lock_guard guard(lock_);
  while (readers_.size() <= static_cast<std::size_t>(thread)) readers_.push_back(new_reader());
  return readers_[static_cast<std::size_t>(thread)];
}

void CpuChooser::answer_one(const engine::Logits& of_pass, Reader& reader, AskedRow& row) {
  const bool is_scored = row.scores != nullptr;
  if (!is_scored && !row.sampling) return;  // and no row is fetched from a GPU
  if (is_scored && !reader.scorer) throw std::logic_error("Chooser: made without scores");
  const std::span<const float> logits = of_pass.row(row.row);
  if (is_scored) reader.scorer->score(logits, *row.scores);
  if (!row.sampling) return;
  // Scoring finds the arg-max too.
  row.token = is_scored && row.allowed.empty() && row.sampling->options.is_arg_max()
                  ? reader.scorer->most_likely()
                  : reader.choice.choose(*row.sampling, masked(logits, row.allowed, reader.masked),
                                         row.position);
}

void CpuChooser::answer(const engine::Logits& logits, std::span<AskedRow> rows) {
  if (rows.size() <= 1) {
    for (AskedRow& row : rows) answer_one(logits, readers_[0], row);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_lock;
  const auto answer_share = [&](int thread) {
    try {
      Reader& reader = reader_of(thread);
      for (std::size_t i = next++; i < rows.size(); i = next++) answer_one(logits, reader, rows[i]);
    } catch (...) {
      const std::lock_guard guard(error_lock);
      error = std::current_exception();
    }
  };
  engine_.run_on_threads(std::ref(answer_share));
  if (error) std::rethrow_exception(error);
}

}  // namespace outrider::sampling
