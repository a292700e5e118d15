#include "runtime/certify/certificate.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>

#include "runtime/certify/certificate_case.h"
#include "runtime/certify/row_bits.h"

namespace outrider::engine {
namespace {

/// The truth about a sequence: every row of the text and of the tree decoded alone, the tree by
/// walking down and coming back.
class OneByOne {
 public:
  OneByOne(Engine& engine, const CertifiedSequence& sequence)
      : engine_(engine), sequence_(sequence), cache_(engine.make_cache(sequence.capacity())) {
    for (const Token token : sequence.text) text.push_back(step(token));
    tree.resize(sequence.tree.size());
    walk(-1);
  }

  std::vector<RowBits> text;
  std::vector<RowBits> tree;
  RowBits next;

 private:
  void walk(int parent) {
    const std::vector<int> rows = sequence_.children(parent);
    for (const int row : rows) {
      const std::size_t i = static_cast<std::size_t>(row);
      tree[i] = step(sequence_.tree[i]);
      if (row == sequence_.path.back()) {
        next = step(sequence_.next);
        cache_->truncate(cache_->length() - 1);
      }
      walk(row);
      cache_->truncate(cache_->length() - 1);
    }
  }

  RowBits step(Token token) {
    Pass pass;
    pass.sequences = {cache_.get()};
    pass.rows = {{token, 0, Row::kCommitted, true}};
    pass.request = request_of_all(engine_.config());
    engine_.forward(pass);
    RowBits bits = bits_of(pass, 0, cache_->length(), 0, engine_.config());
    cache_->commit_first(1);
    return bits;
  }

  Engine& engine_;
  const CertifiedSequence& sequence_;
  std::unique_ptr<KvCache> cache_;
};

/// The same in company: all sequences of a case together, their texts in random chunks, their trees
/// in one pass with all rows in a random order.
class InCompany {
 public:
  InCompany(Engine& engine, const std::vector<CertifiedSequence>& sequences,
            const std::vector<OneByOne>& truths, Random& random, CertifyCounts& counts)
      : engine_(engine), sequences_(sequences), truths_(truths), random_(random), counts_(counts) {
    for (const CertifiedSequence& s : sequences) caches_.push_back(engine.make_cache(s.capacity()));
    begin_pass();
  }

  /// Returns what differs first, or nothing.
  std::string compare() {
    std::string what = forward_texts();
    if (what.empty()) what = forward_trees();
    if (what.empty()) what = commit_paths();
    if (what.empty()) what = forward_next();
    return what;
  }

 private:
  /// What a row of a pass must be, and what it is called.
  struct Expected {
    const RowBits* bits;
    const char* kind;
    int index;
  };

  void begin_pass() {
    pass_ = {};
    for (const auto& cache : caches_) pass_.sequences.push_back(cache.get());
    expected_.clear();
    every_ = 1 << between(random_, 0, 3);
  }

  /// Adds a row to the pass and returns its number. About one in `every_` wants logits.
  int add(std::size_t sequence, Token token, int parent, const Expected& expected) {
    const bool wants_logits = between(random_, 1, every_) == 1;
    pass_.rows.push_back({token, static_cast<int>(sequence), parent, wants_logits});
    expected_.push_back(expected);
    return static_cast<int>(pass_.rows.size()) - 1;
  }

  std::string forward_and_compare() {
    pass_.request = request_of_all(engine_.config());
    engine_.forward(pass_);
    ++counts_.passes;
    std::vector<int> slots;
    for (const auto& cache : caches_) slots.push_back(cache->length());
    int logits = 0;
    for (std::size_t i = 0; i < pass_.rows.size(); ++i) {
      const Row& row = pass_.rows[i];
      const std::optional<int> number =
          row.wants_logits ? std::optional<int>(logits++) : std::nullopt;
      const int slot = slots[static_cast<std::size_t>(row.sequence)]++;
      const RowBits found = bits_of(pass_, static_cast<int>(i), slot, number, engine_.config());
      const std::string what = first_difference(*expected_[i].bits, found);
      if (!what.empty())
        return fmt::format("{}, {} {} of sequence {}, row {} of {} of a pass", what,
                           expected_[i].kind, expected_[i].index, row.sequence, i,
                           pass_.rows.size());
      ++counts_.rows;
    }
    counts_.logits_rows += logits;
    begin_pass();
    return {};
  }

  std::string forward_texts() {
    for (;;) {
      for (std::size_t s = 0; s < caches_.size(); ++s) {
        const int first = caches_[s]->length();
        const int rows = std::min(between(random_, 1, 70), sequences_[s].text_size() - first);
        for (int i = first; i < first + rows; ++i) {
          const std::size_t at = static_cast<std::size_t>(i);
          add(s, sequences_[s].text[at],
              i == first ? Row::kCommitted : static_cast<int>(pass_.rows.size()) - 1,
              {&truths_[s].text[at], "token", i});
        }
      }
      if (pass_.rows.empty()) return {};
      const std::vector<Row> rows = pass_.rows;
      if (std::string what = forward_and_compare(); !what.empty()) return what;
      for (std::size_t s = 0; s < caches_.size(); ++s)
        caches_[s]->commit_first(
            static_cast<int>(std::count_if(rows.begin(), rows.end(), [s](const Row& row) {
              return row.sequence == static_cast<int>(s);
            })));
    }
  }

  /// Every row after its parent, else in any order, also among the rows of other sequences.
  std::string forward_trees() {
    struct Ready {
      std::size_t sequence;
      int node;
      int parent;  // row of the pass
    };
    std::vector<Ready> ready;
    const auto release = [&](std::size_t s, int node, int row) {
      const std::vector<int> children = sequences_[s].children(node);
      for (const int child : children) ready.push_back({s, child, row});
    };
    for (std::size_t s = 0; s < sequences_.size(); ++s) release(s, -1, Row::kCommitted);
    orders_.assign(sequences_.size(), {});
    while (!ready.empty()) {
      std::swap(ready[random_() % ready.size()], ready.back());
      const auto [s, node, parent] = ready.back();
      ready.pop_back();
      orders_[s].push_back(node);
      const std::size_t at = static_cast<std::size_t>(node);
      release(s, node,
              add(s, sequences_[s].tree[at], parent, {&truths_[s].tree[at], "node", node}));
    }
    return forward_and_compare();
  }

  std::string commit_paths() {
    for (std::size_t s = 0; s < sequences_.size(); ++s) {
      const std::vector<int>& path = sequences_[s].path;
      const std::vector<int>& order = orders_[s];
      std::vector<int> kept;
      for (const int node : path)
        kept.push_back(
            static_cast<int>(std::find(order.begin(), order.end(), node) - order.begin()));
      const int first = caches_[s]->length();
      caches_[s]->commit(kept);
      for (std::size_t i = 0; i < kept.size(); ++i) {
        counts_.moved_rows += kept[i] != static_cast<int>(i);
        const RowBits& expected = truths_[s].tree[static_cast<std::size_t>(path[i])];
        const std::string what =
            first_difference(expected, *caches_[s], first + static_cast<int>(i));
        if (!what.empty())
          return fmt::format("{} after the commit, node {} of sequence {}", what, path[i], s);
      }
      counts_.deepest_path = std::max(counts_.deepest_path, static_cast<int>(kept.size()));
    }
    return {};
  }

  std::string forward_next() {
    for (std::size_t s = 0; s < sequences_.size(); ++s)
      add(s, sequences_[s].next, Row::kCommitted,
          {&truths_[s].next, "what follows position", caches_[s]->length() - 1});
    return forward_and_compare();
  }

  Engine& engine_;
  const std::vector<CertifiedSequence>& sequences_;
  const std::vector<OneByOne>& truths_;
  Random& random_;
  CertifyCounts& counts_;
  std::vector<std::unique_ptr<KvCache>> caches_;
  std::vector<std::vector<int>> orders_;  // nodes as the pass had them
  Pass pass_;
  std::vector<Expected> expected_;  // of its rows
  int every_ = 1;
};

void count_context(const std::vector<CertifiedSequence>& sequences, CertifyCounts& counts) {
  for (const CertifiedSequence& s : sequences) {
    const int context = s.text_size();
    if (counts.shortest_context == 0 || context < counts.shortest_context)
      counts.shortest_context = context;
    counts.longest_context = std::max(counts.longest_context, context);
  }
}

}  // namespace

std::uint64_t hash_of_fixed_text(Engine& engine) {
  const int length = std::min(64, engine.config().context);
  const auto cache = engine.make_cache(length);
  std::vector<Token> text;
  for (int i = 0; i < length; ++i) text.push_back((7919 * i + 17) % engine.config().vocab);
  Pass pass;
  pass.sequences = {cache.get()};
  pass.add_chain(0, text, true);
  engine.forward(pass);
  std::uint64_t hash = 0;
  for (int i = 0; i < length; ++i) {
    const auto logits = pass.row_logits(i);
    hash = XXH3_64bits_withSeed(logits.data(), logits.size_bytes(), hash);
  }
  return hash;
}

Certificate certify(const Engine& engine, const CertifyOptions& options,
                    const std::function<bool(const Certificate&)>& go_on) {
  const auto variants = options.variants.empty() ? engine.variants() : options.variants;
  const auto reference = engine.with_threads(1);
  Certificate certificate;
  certificate.logits_hash = hash_of_fixed_text(*reference);
  for (const Variant& variant : variants) certificate.counts.push_back({.variant = variant.name});

  Random random(options.seed);  // draws the cases only, which are the same for any variants
  const CaseLimits limits =
      CaseLimits{options.max_context, options.max_rows}.within(engine.config().context);
  for (; go_on(certificate); ++certificate.cases) {
    const auto sequences = random_case(random, limits, engine.config().vocab);
    std::vector<OneByOne> truths;
    truths.reserve(sequences.size());
    for (const CertifiedSequence& s : sequences) truths.emplace_back(*reference, s);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      if (!go_on(certificate)) return certificate;
      CertifyCounts& counts = certificate.counts[i];
      const auto turn = static_cast<std::size_t>(certificate.cases) + i;
      const int threads = options.threads[turn % options.threads.size()];
      counts.threads.insert(threads);
      count_context(sequences, counts);
      const auto tried = variants[i].make(threads);
      Random order(options.seed + static_cast<std::uint64_t>(certificate.cases));
      std::string what = InCompany(*tried, sequences, truths, order, counts).compare();
      if (what.empty() && certificate.cases == 0 &&
          hash_of_fixed_text(*tried) != certificate.logits_hash)
        what = "the logits of the fixed text";
      if (what.empty()) continue;
      certificate.difference =
          fmt::format("{} (case {} of seed {}, {}, {} threads)", what, certificate.cases,
                      options.seed, counts.variant, threads);
      return certificate;
    }
  }
  return certificate;
}

}  // namespace outrider::engine
