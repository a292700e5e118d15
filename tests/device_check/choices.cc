#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/sampling/elsewhere_chooser.h"
#include "runtime/sampling/row_scorer.h"
#include "runtime/sampling/token_choice.h"
#include "tests/device_check/check.h"
#include "tests/support/logit_rows.h"

namespace outrider::device_check {
namespace {

using sampling::AskedRow;
using sampling::SamplerOptions;

constexpr int kTop = 32;  // that traces keep

/// What users ask for, by name.
struct Request {
  const char* name;
  SamplerOptions options;
};
std::vector<Request> requests() {
  return {
      {"greedy", {}},
      {"T 1", {.temperature = 1}},
      {"T 0.3", {.temperature = 0.3}},
      {"T 0.8, top-k 40, top-p 0.95", {.temperature = 0.8, .top_k = 40, .top_p = 0.95}},
      {"T 1, top-p 0.9", {.temperature = 1, .top_p = 0.9}},
      {"T 1, min-p 0.05", {.temperature = 1, .min_p = 0.05}},
      {"greedy, repetition 1.1", {.repetition_penalty = 1.1}},
      {"T 0.7, penalties and bias",
       {.temperature = 0.7,
        .repetition_penalty = 1.1,
        .presence_penalty = 0.5,
        .frequency_penalty = 0.25,
        .logit_bias = {{6, 3}, {2500, 9.5}}}},
      {"T 2.5, everything",
       {.temperature = 2.5,
        .top_k = 300,
        .top_p = 0.9,
        .min_p = 0.01,
        .repetition_penalty = 1.7,
        .logit_bias = {{4100, 2}}}},
  };
}

/// Rows of logits on the device, and who reads them there and on the processor.
class Rows {
 public:
  Rows(const Check& check, std::vector<test::LogitRow> rows)
      : rows_(std::move(rows)),
        width_(static_cast<int>(rows_.front().size())),
        on_device_(sampling::HeadVocabulary(width_),
                   std::make_unique<cuda::CudaRowReader>(check.gpu, width_,
                                                         engine::RowReaderOptions{.top = kTop}),
                   nullptr, true),
        choice_(width_),
        scorer_(kTop, width_, engine::cpu::kernels_for(engine::Isa::kAuto).score) {
    test::leave_on_device(check.gpu, rows_, logits_);
  }

  int count() const { return static_cast<int>(rows_.size()); }
  /// One question for each row. @param request  null: none is chosen
  std::vector<AskedRow> questions(const Request* request, std::int64_t position) const {
    std::vector<AskedRow> asked;
    for (int row = 0; row < count(); ++row) {
      asked.push_back({.row = row, .position = position + row});
      if (request != nullptr)
        asked.back().sampling.emplace(
            sampling::SequenceSampling{request->options, 5 + asked.size(), counts_});
    }
    return asked;
  }
  void answer(std::vector<AskedRow>& asked) { on_device_.answer(logits_, asked); }
  Token expected(const AskedRow& asked) {
    return choice_.choose(*asked.sampling, rows_[static_cast<std::size_t>(asked.row)],
                          asked.position);
  }
  sampling::RowScores expected_scores(int row) {
    sampling::RowScores scores;
    scorer_.score(rows_[static_cast<std::size_t>(row)], scores);
    return scores;
  }

 private:
  std::vector<test::LogitRow> rows_;
  int width_;
  engine::Logits logits_;
  sampling::ElsewhereChooser on_device_;
  sampling::TokenChoice choice_;
  sampling::RowScorer scorer_;
  sampling::TokenCounts counts_{std::vector<Token>{5, 6, 77, 4100}};
};

bool are_equal(const sampling::RowScores& a, const sampling::RowScores& b) {
  return a.ids == b.ids && a.log_probs == b.log_probs && a.entropy == b.entropy &&
         a.outside == b.outside;
}

void compare(Check& check, int vocab) {
  Rows rows(check, test::logit_rows_of_all_kinds(vocab));
  int all = 0, equal = 0;
  for (const Request& request : requests())
    for (int turn = 0; turn < (check.settings.tiny ? 1 : 8); ++turn) {
      auto asked = rows.questions(&request, 1000 * turn);
      rows.answer(asked);
      for (const AskedRow& one : asked) {
        const Token expected = rows.expected(one);
        ++all;
        equal += one.token == expected ? 1 : 0;
        if (one.token != expected)
          check.fail(fmt::format("choices, {}, row {}, position {}: expected token {}, found {}",
                                 request.name, one.row, one.position, expected, one.token));
      }
    }
  std::vector<sampling::RowScores> found(static_cast<std::size_t>(rows.count()));
  auto asked = rows.questions(nullptr, 0);
  for (AskedRow& one : asked) one.scores = &found[static_cast<std::size_t>(one.row)];
  rows.answer(asked);
  int scored = 0;
  for (int row = 0; row < rows.count(); ++row) {
    const bool same = are_equal(found[static_cast<std::size_t>(row)], rows.expected_scores(row));
    scored += same ? 1 : 0;
    if (!same) check.fail(fmt::format("scores of row {} are not the processor's", row));
  }
  Json& json = check.found["choices"];
  json["compared"] = all;
  json["equal"] = equal;
  json["scores_compared"] = rows.count();
  json["scores_equal"] = scored;
  Check::say(fmt::format("choices: {} of {} equal the processor's, and scores of {} of {} rows",
                         equal, all, scored, rows.count()));
}

/// From the question to the answer on the host.
void measure(Check& check, int vocab) {
  const auto all = requests();
  const std::vector<int> counts =
      check.settings.tiny ? std::vector<int>{2} : std::vector<int>{1, 8, 64};
  const Effort effort = check.effort(0.03, static_cast<int>(counts.size() * (all.size() + 1)));
  // Of usual rows.
  const test::LogitRow usual = test::logit_rows_of_all_kinds(vocab).front();
  std::vector<std::string> lines(all.size() + 1);
  for (const int count : counts) {
    Rows rows(check, std::vector<test::LogitRow>(static_cast<std::size_t>(count), usual));
    std::vector<sampling::RowScores> scores(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i <= all.size(); ++i) {
      const Request* const request = i < all.size() ? &all[i] : nullptr;
      const std::string name =
          request != nullptr ? request->name : fmt::format("scores, top {}", kTop);
      auto asked = rows.questions(request, 100);
      if (request == nullptr)
        for (AskedRow& one : asked) one.scores = &scores[static_cast<std::size_t>(one.row)];
      rows.answer(asked);  // buffers grow
      const double seconds = seconds_of(effort, [&] { rows.answer(asked); });
      check.found["choices"]["times"].push_back(
          {{"what", name}, {"rows", count}, {"us", seconds * 1e6}});
      if (lines[i].empty()) lines[i] = fmt::format("  {:<28} us, rows:", name);
      lines[i] += fmt::format(" {}: {:.1f}", count, seconds * 1e6);
    }
  }
  for (const std::string& line : lines) Check::say(line);
}

}  // namespace

void check_choices(Check& check) {
  const int vocab = check.settings.tiny ? 5003 : 49152;
  compare(check, vocab);
  measure(check, vocab);
}

}  // namespace outrider::device_check
