#include "runtime/engine/forward_text.h"

#include <functional>

namespace outrider::engine {
namespace {

/// Rows that a function adds.
class GivenRows : public TextStep {
 public:
  GivenRows(KvCache& cache, int count, const AddRows& add_rows, const TextOptions& options)
      : TextStep(cache, cache.length() + count, options), add_rows_(add_rows) {}

 private:
  void add_chunk(Pass& pass, int /*sequence*/, int first, int count) override {
    add_rows_(pass, first, count);
  }

  const AddRows& add_rows_;
};

}  // namespace

bool forward_rows(Engine& engine, KvCache& cache, Pass& pass, int count, const AddRows& add_rows,
                  const TextOptions& options, const OnRows& on_rows) {
  GivenRows step(cache, count, add_rows, options);
  while (!step.is_done()) {
    if (options.go_on && !options.go_on()) return false;
    const int begin = cache.length();
    forward_step(engine, pass, step);
    if (begin >= options.observed_from && on_rows) on_rows(pass, begin);
  }
  return true;
}

bool forward_text(Engine& engine, KvCache& cache, Pass& pass, std::span<const Token> tokens,
                  const TextOptions& options, const OnRows& on_rows) {
  const int before = cache.length();
  const auto add_chain = [&](Pass& to, int first, int count) {
    to.add_chain(
        0,
        tokens.subspan(static_cast<std::size_t>(first - before), static_cast<std::size_t>(count)),
        false);
  };
  return forward_rows(engine, cache, pass, static_cast<int>(tokens.size()), std::ref(add_chain),
                      options, on_rows);
}

bool forward_text(Engine& engine, std::span<const Token> tokens, const TextOptions& options,
                  const OnRows& on_rows) {
  const auto cache = engine.make_cache(static_cast<int>(tokens.size()));
  Pass pass;
  return forward_text(engine, *cache, pass, tokens, options, on_rows);
}

}  // namespace outrider::engine
