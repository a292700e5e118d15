// dump_logits MODEL NUMERICS TOKENS OUT: forwards the token ids that the file TOKENS lists and writes
// the logits of every position, [tokens, vocab] floats, to OUT. tests/golden/compare_logits.py
// compares them with other people's.

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/engine/engine_names.h"

namespace outrider::engine {
namespace {

void dump(const char* model_path, const char* numerics, const char* tokens_path,
          const char* out_path) {
  const model::Model model = model::load_model(model_path);
  const auto engine = make_engine(model, {.numerics = numerics_of(numerics)});
  std::ifstream file(tokens_path);
  std::vector<Token> tokens;
  for (Token token; file >> token;) tokens.push_back(token);
  const auto cache = engine->make_cache(static_cast<int>(tokens.size()));
  Pass pass;
  pass.sequences = {cache.get()};
  std::ofstream out(out_path, std::ios::binary);
  while (cache->length() < static_cast<int>(tokens.size())) {
    const int rows = std::min(32, static_cast<int>(tokens.size()) - cache->length());
    std::vector<int> all;
    pass.rows.clear();
    for (int i = 0; i < rows; ++i) {
      const Token token = tokens[static_cast<std::size_t>(cache->length() + i)];
      pass.rows.push_back({token, 0, i == 0 ? Row::kCommitted : i - 1, true});
      all.push_back(i);
    }
    engine->forward(pass);
    for (int i = 0; i < rows; ++i) {
      const auto logits = pass.row_logits(i);
      out.write(reinterpret_cast<const char*>(logits.data()),
                static_cast<std::streamsize>(logits.size_bytes()));
    }
    cache->commit(all);
  }
}

}  // namespace
}  // namespace outrider::engine

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: dump_logits MODEL NUMERICS TOKENS OUT\n");
    return 2;
  }
  outrider::engine::dump(argv[1], argv[2], argv[3], argv[4]);
}
