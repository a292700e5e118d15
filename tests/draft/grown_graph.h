#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "runtime/draft/gsd/draft_graph.h"
#include "runtime/draft/gsd/unmerging.h"

namespace outrider::test {

/// A path of drafted tokens: how many, and the last two of them; -1 where there are fewer.
struct PathEnd {
  int length = 0;
  Token before_last = -1;
  Token last = -1;
};

/// Stands in for a draft model: what follows a path, and how probable it is.
struct Language {
  std::string name;
  std::function<std::vector<draft::RankedChild>(const PathEnd& path)> after;
};

/// A graph, level by level, as a drafter makes it.
struct GrownGraph {
  explicit GrownGraph(int tau) : graph(tau) {}

  /// @param nodes  at most
  void grow(const Language& language, int nodes) {
    std::vector<int> level = {0};
    while (!level.empty() && graph.num_drafted() < nodes) {
      std::vector<int> added;
      for (const int node : level) {
        int rank = 0;
        for (const draft::RankedChild& child : language.after(end_of(node))) {
          if (graph.num_drafted() == nodes) break;
          added.push_back(graph.add(node, child.token, child.log_q, rank++));
        }
      }
      std::stable_sort(added.begin(), added.end(),
                       [&](int a, int b) { return graph.log_path(a) > graph.log_path(b); });
      level.clear();
      for (const int node : added)
        if (on_open ? on_open(node) : graph.open(node)) level.push_back(node);
    }
  }

  draft::DraftGraph graph;
  std::function<bool(int node)> on_open;

 private:
  PathEnd end_of(int node) const {
    PathEnd end = {graph.depth(node)};
    if (end.length >= 1) end.last = graph.token(node);
    if (end.length >= 2) end.before_last = graph.token(graph.parent(node));
    return end;
  }
};

/// Up to `children` of `vocab` tokens after every path, which depend on the path's last two tokens and, so
/// that equal runs do not go on alike, on how long it is.
inline Language random_language(int vocab, int children, std::uint64_t seed) {
  return {"random", [=](const PathEnd& path) {
            std::mt19937_64 random(((seed * 1000 + static_cast<std::uint64_t>(path.length)) * 100 +
                                    static_cast<std::uint64_t>(path.before_last + 1)) *
                                       100 +
                                   static_cast<std::uint64_t>(path.last + 1));
            std::vector<Token> tokens;
            for (Token token = 0; token < vocab; ++token) tokens.push_back(token);
            std::shuffle(tokens.begin(), tokens.end(), random);
            std::vector<draft::RankedChild> after;
            const auto count = random() % static_cast<std::uint64_t>(children) + 1;
            double q = 0.7;
            for (std::size_t i = 0; i < std::min<std::size_t>(count, tokens.size()); ++i, q /= 3)
              after.push_back({tokens[i], std::log(q)});
            return after;
          }};
}

inline std::vector<Language> languages() {
  std::vector<Language> all;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    all.push_back(random_language(2, 2, seed));
    all.push_back(random_language(4, 3, seed));
    all.push_back(random_language(30, 4, seed));
  }
  return all;
}

/// All tokens equal; two tokens; periodic texts, with another token beside each.
inline std::vector<Language> worst_languages() {
  std::vector<Language> all = {{"equal",
                                [](const PathEnd&) {
                                  return std::vector<draft::RankedChild>{{3, -0.1}};
                                }},
                               {"two", [](const PathEnd&) {
                                  return std::vector<draft::RankedChild>{{0, -0.5}, {1, -1}};
                                }}};
  all.push_back(random_language(2, 2, 5));
  for (const int period : {2, 3, 17})
    for (const Token other : {0, 100})
      all.push_back({"periodic", [=](const PathEnd& path) {
                       const auto next = static_cast<Token>(path.length % period);
                       std::vector<draft::RankedChild> after = {{next, -0.1}};
                       if (other != next) after.push_back({other, -2.5});
                       return after;
                     }});
  return all;
}

}  // namespace outrider::test
