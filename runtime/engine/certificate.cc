#include "runtime/engine/certificate.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "runtime/engine/instruction_set.h"

namespace outrider::engine {
namespace {

using Random = std::mt19937_64;

int between(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// A text, and a tree that hangs below its last token: parents[i] < i, or -1.
struct Case {
  std::vector<Token> text;
  std::vector<Token> tokens;
  std::vector<int> parents;
  std::vector<int> path;  // rows to commit, from a root row down

  int rows() const { return static_cast<int>(tokens.size()); }
};

Case random_case(Random& random, const CertifyOptions& options, int vocab) {
  Case c;
  const auto token = [&] { return static_cast<Token>(between(random, 0, vocab - 1)); };
  c.text.resize(static_cast<std::size_t>(between(random, 1, options.max_context)));
  for (Token& t : c.text) t = token();
  const int rows = between(random, 1, options.max_rows);
  const int branching = between(random, 1, 8);  // 1: a chain
  for (int i = 0; i < rows; ++i) {
    c.tokens.push_back(token());
    c.parents.push_back(i == 0 ? -1 : std::max(0, i - between(random, 1, branching)));
  }
  for (int row = between(random, rows / 2, rows - 1); row >= 0;
       row = c.parents[static_cast<std::size_t>(row)])
    c.path.insert(c.path.begin(), row);
  return c;
}

/// Everything that a row makes.
struct RowBits {
  std::vector<float> logits;
  std::vector<std::vector<float>> states;  // per layer 0 … L, then after the final norm
  std::vector<std::int32_t> best_keys;     // [layers, heads]
  std::vector<std::uint8_t> keys_values;
};

Taps all_taps(const model::ModelConfig& config) {
  Taps taps;
  for (int l = 0; l <= config.layers; ++l) taps.layers.push_back(l);
  taps.layers.push_back(Taps::kFinalNorm);
  taps.best_keys = true;
  return taps;
}

/// Takes row `row` of a pass whose rows all wanted logits; its keys and values lie in `slot`.
RowBits bits_of(const Pass& pass, int row, const KvCache& cache, int slot,
                const model::ModelConfig& config) {
  RowBits bits;
  const std::size_t r = static_cast<std::size_t>(row);
  const std::size_t width = static_cast<std::size_t>(config.width);
  const auto logits = pass.row_logits(row);
  bits.logits.assign(logits.begin(), logits.end());
  for (const std::vector<float>& layer : pass.taps->states) {
    const auto first = layer.begin() + static_cast<std::ptrdiff_t>(r * width);
    bits.states.emplace_back(first, first + config.width);
  }
  const auto first = pass.taps->best_key.begin() + row * config.layers * config.heads;
  bits.best_keys.assign(first, first + config.layers * config.heads);
  bits.keys_values = cache.slot_bytes(slot);
  return bits;
}

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// What differs first, in the order in which a pass computes it; empty if nothing does.
std::string difference(const RowBits& expected, const RowBits& found) {
  for (std::size_t l = 0; l + 1 < expected.states.size(); ++l) {
    if (!same(expected.states[l], found.states[l]))
      return l == 0 ? "the embedding" : fmt::format("the output of layer {}", l);
  }
  if (!same(expected.keys_values, found.keys_values)) return "the keys and values";
  if (!same(expected.best_keys, found.best_keys)) return "the arg-max of the attention";
  if (!same(expected.states.back(), found.states.back())) return "the state after the final norm";
  if (!same(expected.logits, found.logits)) return "the logits";
  return {};
}

/// The truth: every row of the text and of the tree decoded alone, the tree by walking down and
/// coming back.
class OneByOne {
 public:
  OneByOne(Engine& engine, const Case& c)
      : engine_(engine),
        case_(c),
        cache_(engine.make_cache(static_cast<int>(c.text.size()) + c.rows())) {
    for (const Token token : c.text) text_rows_.push_back(step(token));
    tree_rows_.resize(c.tokens.size());
    walk(-1);
  }

  const RowBits& text_row(int i) const { return text_rows_[static_cast<std::size_t>(i)]; }
  const RowBits& tree_row(int i) const { return tree_rows_[static_cast<std::size_t>(i)]; }

 private:
  void walk(int parent) {
    for (int i = parent + 1; i < case_.rows(); ++i) {
      if (case_.parents[static_cast<std::size_t>(i)] != parent) continue;
      tree_rows_[static_cast<std::size_t>(i)] = step(case_.tokens[static_cast<std::size_t>(i)]);
      walk(i);
      cache_.truncate(cache_.length() - 1);
    }
  }

  RowBits step(Token token) {
    Taps taps = all_taps(engine_.config());
    Pass pass;
    pass.sequences = {&cache_};
    pass.rows = {{token, 0, Row::kCommitted, true}};
    pass.taps = &taps;
    engine_.forward(pass);
    RowBits bits = bits_of(pass, 0, cache_, cache_.length(), engine_.config());
    cache_.commit_first(1);
    return bits;
  }

  Engine& engine_;
  const Case& case_;
  KvCache cache_;
  std::vector<RowBits> text_rows_;
  std::vector<RowBits> tree_rows_;
};

/// The same in company: the text in random chunks, the tree in one pass, its rows in a random order
/// among rows of another sequence.
class InCompany {
 public:
  InCompany(Engine& engine, const Case& c, Random& random)
      : engine_(engine),
        case_(c),
        random_(random),
        cache_(engine.make_cache(static_cast<int>(c.text.size()) + c.rows())),
        neighbour_(engine.make_cache(kNeighbours)) {}

  /// Returns what differs first, or nothing.
  std::string compare(const OneByOne& truth, CertifyCounts& counts) {
    if (std::string what = prefill(truth, counts); !what.empty()) return what;
    const std::vector<int> order = random_order();
    Taps taps = all_taps(engine_.config());
    Pass pass = tree_pass(order);
    pass.taps = &taps;
    engine_.forward(pass);
    ++counts.passes;
    for (std::size_t i = 0, own = 0; i < pass.rows.size(); ++i) {
      if (pass.rows[i].sequence != 0) continue;
      const int slot = cache_.length() + static_cast<int>(own);
      const RowBits found = bits_of(pass, static_cast<int>(i), cache_, slot, engine_.config());
      const std::string what = difference(truth.tree_row(order[own]), found);
      if (!what.empty())
        return fmt::format("{} of row {} of {} of the tree", what, order[own], case_.rows());
      ++own;
      ++counts.rows;
    }
    return commit_and_compare(truth, order, counts);
  }

 private:
  static constexpr int kNeighbours = 8;

  std::string prefill(const OneByOne& truth, CertifyCounts& counts) {
    const int size = static_cast<int>(case_.text.size());
    while (cache_.length() < size) {
      const int first = cache_.length();
      const int rows = std::min(between(random_, 1, 70), size - first);
      Taps taps = all_taps(engine_.config());
      Pass pass;
      pass.sequences = {&cache_};
      pass.taps = &taps;
      pass.add_chain(0,
                     std::span(case_.text)
                         .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
                     true);
      engine_.forward(pass);
      ++counts.passes;
      for (int i = 0; i < rows; ++i) {
        const RowBits found = bits_of(pass, i, cache_, first + i, engine_.config());
        const std::string what = difference(truth.text_row(first + i), found);
        if (!what.empty()) return fmt::format("{} of token {} of the text", what, first + i);
        ++counts.rows;
      }
      cache_.commit_first(rows);
    }
    return {};
  }

  /// The rows so that parents still come before their children.
  std::vector<int> random_order() {
    std::vector<int> order;
    std::vector<int> ready;
    const auto release = [&](int parent) {
      for (int i = 0; i < case_.rows(); ++i)
        if (case_.parents[static_cast<std::size_t>(i)] == parent) ready.push_back(i);
    };
    release(-1);
    while (!ready.empty()) {
      std::swap(ready[random_() % ready.size()], ready.back());
      order.push_back(ready.back());
      ready.pop_back();
      release(order.back());
    }
    return order;
  }

  Pass tree_pass(const std::vector<int>& order) {
    Pass pass;
    pass.sequences = {&cache_, &neighbour_};
    std::vector<int> row_of(order.size());
    int neighbours = between(random_, 0, kNeighbours);
    int last_neighbour = Row::kCommitted;
    for (const int i : order) {
      for (; neighbours > 0 && random_() % 2 == 0; --neighbours) {
        const Token token = static_cast<Token>(between(random_, 0, engine_.config().vocab - 1));
        pass.rows.push_back({token, 1, last_neighbour, true});
        last_neighbour = static_cast<int>(pass.rows.size()) - 1;
      }
      const int parent = case_.parents[static_cast<std::size_t>(i)];
      row_of[static_cast<std::size_t>(i)] = static_cast<int>(pass.rows.size());
      pass.rows.push_back({case_.tokens[static_cast<std::size_t>(i)], 0,
                           parent < 0 ? Row::kCommitted : row_of[static_cast<std::size_t>(parent)],
                           true});
    }
    return pass;
  }

  std::string commit_and_compare(const OneByOne& truth, const std::vector<int>& order,
                                 CertifyCounts& counts) {
    std::vector<int> kept;
    for (const int row : case_.path)
      kept.push_back(static_cast<int>(std::find(order.begin(), order.end(), row) - order.begin()));
    const int first = cache_.length();
    cache_.commit(kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      counts.moved_rows += kept[i] != static_cast<int>(i);
      if (!same(truth.tree_row(case_.path[i]).keys_values,
                cache_.slot_bytes(first + static_cast<int>(i))))
        return fmt::format("the committed keys and values of row {} of {}", case_.path[i],
                           case_.rows());
    }
    counts.deepest_path = std::max(counts.deepest_path, static_cast<int>(kept.size()));
    return {};
  }

  Engine& engine_;
  const Case& case_;
  Random& random_;
  KvCache cache_;
  KvCache neighbour_;
};

/// So that no text and tree is longer than the model's context.
CertifyOptions within(int context, CertifyOptions options) {
  options.max_rows = std::clamp(context / 2, 1, options.max_rows);
  options.max_context = std::clamp(context - options.max_rows, 1, options.max_context);
  return options;
}

}  // namespace

std::uint64_t hash_of_fixed_text(Engine& engine) {
  const int length = std::min(64, engine.config().context);
  KvCache cache = engine.make_cache(length);
  std::vector<Token> text;
  for (int i = 0; i < length; ++i) text.push_back((7919 * i + 17) % engine.config().vocab);
  Pass pass;
  pass.sequences = {&cache};
  pass.add_chain(0, text, true);
  engine.forward(pass);
  std::uint64_t hash = 0;
  for (int i = 0; i < length; ++i) {
    const auto logits = pass.row_logits(i);
    hash = XXH3_64bits_withSeed(logits.data(), logits.size_bytes(), hash);
  }
  return hash;
}

Certificate certify(const model::Model& model, const CertifyOptions& options,
                    const std::function<bool(const Certificate&)>& go_on) {
  const std::vector<Isa> isas = options.isas.empty() ? available_isas() : options.isas;
  Engine reference(model, {options.numerics, Isa::kAuto, 1, options.quantise});
  Certificate certificate;
  certificate.numerics = reference.numerics_name();
  certificate.logits_hash = hash_of_fixed_text(reference);
  for (const Isa isa : isas) certificate.counts.push_back({kernels_for(isa).name});

  Random random(options.seed);
  const CertifyOptions sizes = within(reference.config().context, options);
  do {
    const Case c = random_case(random, sizes, reference.config().vocab);
    const OneByOne truth(reference, c);
    for (std::size_t i = 0; i < isas.size(); ++i) {
      const int threads = options.threads[random() % options.threads.size()];
      Engine engine(reference, threads, isas[i]);
      InCompany company(engine, c, random);
      std::string what;
      if (certificate.cases == 0 && hash_of_fixed_text(engine) != certificate.logits_hash)
        what = "the logits of the fixed text";
      if (what.empty()) what = company.compare(truth, certificate.counts[i]);
      if (what.empty()) continue;
      certificate.difference = fmt::format(
          "case {} (seed {}), {}, {} threads, {} tokens of context: {}", certificate.cases,
          options.seed, certificate.counts[i].isa, threads, c.text.size(), what);
      return certificate;
    }
    ++certificate.cases;
  } while (go_on(certificate));
  return certificate;
}

}  // namespace outrider::engine
