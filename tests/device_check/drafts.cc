#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/stopwatch.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/static_length.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cuda/cuda_row_reader.h"
#include "runtime/sampling/cpu_chooser.h"
#include "runtime/sampling/elsewhere_chooser.h"
#include "tests/device_check/check.h"
#include "tests/device_check/random_model.h"
#include "tests/draft/counting_engine.h"
#include "tests/support/logit_rows.h"

namespace outrider::device_check {
namespace {

using sampling::DraftAnswer;
using sampling::DraftQuestion;
using sampling::SamplerOptions;

constexpr int kKept = 64;  // logits that graphs keep of a row

/// What drafters ask, by name.
struct Asked {
  const char* name;
  SamplerOptions options;
  DraftQuestion question;
};
std::vector<Asked> asked_by_drafters() {
  using Choice = DraftQuestion::Choice;
  return {
      {"greedy token, log q", {}, {}},
      {"T 1 token, log q", {.temperature = 1}, {}},
      {"T 1 token and lead, best",
       {.temperature = 1},
       {.choice = Choice::kTokenAndLead, .wants_best = true}},
      {"greedy, 4 ranked", {}, {.choice = Choice::kRanked, .most = 4}},
      {"T 1, 4 ranked, best",
       {.temperature = 1},
       {.choice = Choice::kRanked, .most = 4, .wants_best = true}},
      {"greedy, 32 ranked", {}, {.choice = Choice::kUnnormalised, .most = 32, .reach = 7}},
      {"T 1, 32 ranked",
       {.temperature = 1},
       {.choice = Choice::kUnnormalised, .most = 32, .reach = 7}},
      {"T 0.8, top-k 40, 4 ranked",
       {.temperature = 0.8, .top_k = 40},
       {.choice = Choice::kRanked, .most = 4}},
      {"T 1, top-p 0.9, 4 ranked",
       {.temperature = 1, .top_p = 0.9},
       {.choice = Choice::kRanked, .most = 4}},
  };
}

bool same_answers(const DraftAnswer& a, const DraftAnswer& b) {
  const auto same_token = [](const sampling::RankedToken& one, const sampling::RankedToken& other) {
    return one.token == other.token && one.value == other.value && one.score == other.score;
  };
  const auto same_logit = [](const engine::RankedLogit& one, const engine::RankedLogit& other) {
    return one.token == other.token && one.logit == other.logit;
  };
  return a.chosen.token == b.chosen.token && a.chosen.lead == b.chosen.lead && a.logit == b.logit &&
         std::equal(a.ranked.begin(), a.ranked.end(), b.ranked.begin(), b.ranked.end(),
                    same_token) &&
         a.logits == b.logits && a.softmax.largest == b.softmax.largest &&
         a.softmax.log_sum == b.softmax.log_sum &&
         std::equal(a.sums.best.begin(), a.sums.best.end(), b.sums.best.begin(), b.sums.best.end(),
                    same_logit);
}

/// DraftRows of logits on the device and on the host, and who reads them.
class DraftRows {
 public:
  DraftRows(const Check& check, const std::vector<test::LogitRow>& rows,
            sampling::HeadVocabulary of)
      : vocabulary_(std::move(of)),
        there_(vocabulary_,
               std::make_unique<cuda::CudaRowReader>(
                   check.gpu, static_cast<int>(rows.front().size()),
                   engine::RowReaderOptions{.top = kKept,
                                            .width = static_cast<int>(vocabulary_.size()),
                                            .tokens = vocabulary_.head_tokens()}),
               nullptr, true),
        here_(vocabulary_, engine::cpu::kernels_for(engine::Isa::kAuto).score, kKept) {
    test::leave_on_device(check.gpu, rows, elsewhere_);
    test::leave_on_host(rows, on_host_);
  }

  std::vector<DraftAnswer> on_device(const Asked& asked, std::int64_t position) {
    return answers(there_, elsewhere_, asked, position);
  }
  std::vector<DraftAnswer> on_host(const Asked& asked, std::int64_t position) {
    return answers(here_, on_host_, asked, position);
  }

 private:
  std::vector<DraftAnswer> answers(sampling::Chooser& chooser, const engine::Logits& logits,
                                   const Asked& asked, std::int64_t position) const {
    std::vector<DraftQuestion> questions(static_cast<std::size_t>(logits.rows()), asked.question);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      questions[i].row = static_cast<int>(i);
      questions[i].position = position + static_cast<std::int64_t>(i);
    }
    std::vector<DraftAnswer> found(questions.size());
    chooser.answer(logits, {asked.options, 5, counts_}, questions, found);
    return found;
  }

  sampling::HeadVocabulary vocabulary_;
  sampling::ElsewhereChooser there_;
  sampling::CpuChooser here_;
  engine::Logits elsewhere_, on_host_;
  sampling::TokenCounts counts_{{}};
};

void compare_answers(Check& check, int vocab) {
  const std::vector<test::LogitRow> rows = test::logit_rows_of_all_kinds(vocab);
  std::vector<Token> every_third(static_cast<std::size_t>(vocab));
  for (int i = 0; i < vocab; ++i) every_third[static_cast<std::size_t>(i)] = 3 * i + 1;
  int all = 0, equal = 0;
  for (const bool trimmed : {false, true}) {
    const std::vector<Token> head = trimmed ? every_third : std::vector<Token>{};
    DraftRows read(check, rows, {head, vocab, trimmed ? 3 * vocab + 1 : vocab});
    for (const Asked& asked : asked_by_drafters())
      for (int turn = 0; turn < (check.settings.tiny ? 1 : 8); ++turn) {
        const auto found = read.on_device(asked, 1000 * turn),
                   expected = read.on_host(asked, 1000 * turn);
        for (std::size_t row = 0; row < found.size(); ++row) {
          const bool same = same_answers(found[row], expected[row]);
          ++all;
          equal += same ? 1 : 0;
          if (!same)
            check.fail(fmt::format("drafts, {}, row {}, position {}: not the processor's answer",
                                   asked.name, row, 1000 * turn));
        }
      }
  }
  check.found["drafts"]["answers_compared"] = all;
  check.found["drafts"]["answers_equal"] = equal;
  Check::say(fmt::format("drafts: {} of {} answers equal the processor's", equal, all));
}

/// From the question to the answer on the host.
void measure_answers(Check& check, int vocab) {
  const std::vector<int> counts =
      check.settings.tiny ? std::vector<int>{2} : std::vector<int>{1, 8};
  const auto all = asked_by_drafters();
  const Effort effort = check.effort(0.03, static_cast<int>(counts.size() * all.size()));
  const test::LogitRow usual = test::logit_rows_of_all_kinds(vocab).front();
  for (const Asked& asked : all) {
    std::string line = fmt::format("  {:<28} us, rows:", asked.name);
    for (const int count : counts) {
      DraftRows rows(check, std::vector<test::LogitRow>(static_cast<std::size_t>(count), usual),
                     {{}, vocab, vocab});
      rows.on_device(asked, 100);  // buffers grow
      const double seconds = seconds_of(effort, [&] { rows.on_device(asked, 100); });
      check.found["drafts"]["times"].push_back(
          {{"what", asked.name}, {"rows", count}, {"us", seconds * 1e6}});
      line += fmt::format(" {}: {:.1f}", count, seconds * 1e6);
    }
    Check::say(line);
  }
}

/// What a chain drafter drafted, and how long it took.
struct Chains {
  std::vector<Token> tokens;
  std::vector<float> log_q;
  double seconds = 0;
};

/// @param length  tokens of a chain, of which two are kept
Chains draft_chains(std::shared_ptr<engine::Engine> engine, const SamplerOptions& options,
                    int rounds, int length) {
  const int vocab = engine->config().vocab;
  draft::ModelDrafter drafter(std::move(engine), std::make_unique<draft::StaticLength>(),
                              {.longest = length, .target_vocab = vocab});
  std::vector<Token> text;
  for (int i = 0; i < 32; ++i) text.push_back((7919 * i + 17) % vocab);
  const sampling::TokenCounts counts{{}};
  drafter.start({text, 0, static_cast<int>(text.size()) + 3 * rounds + length});
  Chains made;
  draft::TokenTree tree(0);
  for (int round = 0; round < rounds; ++round) {
    tree.restart(text.back());
    const Stopwatch clock;
    drafter.draft({text, {options, 9, counts}}, tree);
    if (round > 0) made.seconds += clock.seconds();  // the first reads the text
    for (int node = 1; node < tree.size(); ++node) {
      made.tokens.push_back(tree.token(node));
      made.log_q.push_back(tree.origin(node).log_q);
    }
    text.insert(text.end(), {tree.token(1), tree.token(2), (31 * round + 5) % vocab});
    drafter.verified(std::vector<int>{1, 2}, text.back());
  }
  return made;
}

/// An engine that leaves its rows to the host, or reads them where they lie, but drafts no chains at once.
class TokenByToken : public test::CountingEngine {
 public:
  TokenByToken(engine::Engine& engine, bool reads_there)
      : CountingEngine(engine), reads_there_(reads_there) {}
  std::unique_ptr<engine::RowReader> make_row_reader(
      const engine::RowReaderOptions& options) override {
    return reads_there_ ? counted().make_row_reader(options) : nullptr;
  }

 private:
  bool reads_there_;
};

void measure_chains(Check& check) {
  ModelShape shape = check.settings.tiny ? tiny_shape() : shape_of_135m();
  shape.name += ", 4 layers";
  if (!check.settings.tiny) shape.layers = 4;
  const model::Model model = random_model(shape, 2);
  const std::shared_ptr<engine::Engine> there = check.engine(model, {.for_drafts = true});
  const std::shared_ptr<engine::Engine> here =
      engine::make_engine(model, {.device = {engine::DeviceChoice::Kind::kCpu}});
  const int rounds = check.settings.tiny ? 3 : 40, length = check.settings.tiny ? 3 : 8;
  struct Way {
    const char* name;
    std::shared_ptr<engine::Engine> engine;
  };
  const std::vector<Way> ways = {
      {"at once", there},
      {"token by token", std::make_shared<TokenByToken>(*there, true)},
      {"rows on the host", std::make_shared<TokenByToken>(*there, false)}};
  for (const double temperature : {0.0, 1.0}) {
    const SamplerOptions options = {.temperature = temperature};
    const Chains expected = draft_chains(here, options, rounds, length);
    for (const Way& way : ways) {
      draft_chains(way.engine, options, rounds, length);  // passes are recorded
      const Chains found = draft_chains(way.engine, options, rounds, length);
      const bool same = found.tokens == expected.tokens && found.log_q == expected.log_q;
      if (!same)
        check.fail(
            fmt::format("drafts, chains {} at T {}: not the processor's", way.name, temperature));
      const double us = found.seconds / ((rounds - 1) * length) * 1e6;
      check.found["drafts"]["chains"].push_back({{"model", shape.name},
                                                 {"way", way.name},
                                                 {"temperature", temperature},
                                                 {"length", length},
                                                 {"us_per_token", us},
                                                 {"equal", same}});
      Check::say(fmt::format("{}, chains of {} at T {}, {}: {:.1f} us a token{}", shape.name,
                             length, temperature, way.name, us, same ? ", the processor's" : ""));
    }
  }
}

}  // namespace

void check_drafts(Check& check) {
  const int vocab = check.settings.tiny ? 5003 : 49152;
  compare_answers(check, vocab);
  measure_answers(check, vocab);
  measure_chains(check);
}

}  // namespace outrider::device_check
