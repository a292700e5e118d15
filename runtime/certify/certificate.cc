#include "runtime/certify/certificate.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>

#include "runtime/certify/batched_passes.h"
#include "runtime/certify/certificate_case.h"
#include "runtime/certify/one_by_one.h"
#include "runtime/certify/row_state.h"
#include "runtime/engine/forward_text.h"

namespace outrider::certify {
namespace {

/// The longest text of the first case, in tokens, so that every variant has been compared after some seconds.
constexpr int kLongestOfFirstCase = 300;
/// Tokens of the fixed text that are compared for every variant: the scalar one takes a second for twenty.
constexpr int kTokensOfVariants = 64;

void count_context(const std::vector<CertifiedSequence>& sequences, CertifyCounts& counts) {
  for (const CertifiedSequence& s : sequences) {
    const int context = s.text_size();
    if (counts.shortest_context == 0 || context < counts.shortest_context)
      counts.shortest_context = context;
    counts.longest_context = std::max(counts.longest_context, context);
  }
}

}  // namespace

std::uint64_t hash_of_fixed_text(engine::Engine& engine, int tokens) {
  const int length = std::min(tokens, engine.config().context);
  const auto cache = engine.make_cache(length);
  std::vector<std::vector<float>> states;  // of the rows of a pass
  const auto add_rows = [&](engine::Pass& pass, int first, int count) {
    states.clear();
    for (int i = first; i < first + count; ++i) {
      const int before = static_cast<int>(pass.rows.size()) - 1;
      engine::Row row{.token = (7919 * i + 17) % engine.config().vocab,
                      .parent = i == first ? engine::Row::kCommitted : before};
      if (engine.config().state_inputs > 0)
        row.state = states.emplace_back(state_for(row.token, engine)).data();
      pass.rows.push_back(row);
    }
  };
  std::uint64_t hash = 0;
  const auto hash_rows = [&](const engine::Pass& pass, int /*first*/) {
    for (int i = 0; i < static_cast<int>(pass.rows.size()); ++i) {
      const auto logits = pass.row_logits(i);
      hash = XXH3_64bits_withSeed(logits.data(), logits.size_bytes(), hash);
    }
  };
  engine::Pass pass;
  engine::forward_rows(engine, *cache, pass, length, add_rows, {.logits_from = 0}, hash_rows);
  return hash;
}

Certificate certify(const engine::Engine& engine, const CertifyOptions& options,
                    const std::function<bool(const Certificate&)>& go_on) {
  const auto variants = options.variants.empty() ? engine.variants() : options.variants;
  const auto reference = engine.with_workers(1);
  ScoredRows scored(*reference);
  Certificate certificate;
  certificate.logits_hash = hash_of_fixed_text(*reference);
  const std::uint64_t hash_of_variants = hash_of_fixed_text(*reference, kTokensOfVariants);
  for (const engine::Variant& variant : variants)
    certificate.counts.push_back({.variant = variant.name});

  Random random(options.seed);  // draws the cases only: they do not depend on the variants
  const CaseLimits limits =
      CaseLimits{options.max_context, options.max_rows}.within(engine.config().context);
  const BeforePass before_pass = [&] {
    if (!go_on(certificate)) throw CaseStopped();
  };
  const auto run_case = [&] {
    const bool first = certificate.cases == 0;
    CaseLimits here = limits;
    if (first) here.context = std::min(limits.context, kLongestOfFirstCase);
    const auto sequences = random_case(random, here, engine.config().vocab);
    std::vector<OneByOne> references;
    references.reserve(sequences.size());
    for (const CertifiedSequence& s : sequences)
      references.emplace_back(*reference, scored, s, before_pass);
    // The fastest first: at long contexts the others may not have the time to end.
    for (std::size_t i = variants.size(); i-- > 0;) {
      CertifyCounts& counts = certificate.counts[i];
      const auto turn = static_cast<std::size_t>(certificate.cases) + i;
      const int threads = options.threads[turn % options.threads.size()];
      counts.threads.insert(threads);
      count_context(sequences, counts);
      const auto tried = variants[i].make(threads);
      Random order(options.seed + static_cast<std::uint64_t>(certificate.cases));
      std::string what =
          BatchedPasses(*tried, sequences, references, before_pass, first, order, counts).compare();
      if (what.empty() && first &&
          hash_of_fixed_text(*tried, kTokensOfVariants) != hash_of_variants)
        what = "the logits of the fixed text";
      if (what.empty()) continue;
      certificate.difference =
          fmt::format("{} (case {} of seed {}, {}, {} threads)", what, certificate.cases,
                      options.seed, counts.variant, threads);
      return;
    }
    ++certificate.cases;
  };
  try {
    while (!certificate.difference && go_on(certificate)) run_case();
  } catch (const CaseStopped&) {
    // What was compared of the case is counted.
  }
  return certificate;
}

}  // namespace outrider::certify
