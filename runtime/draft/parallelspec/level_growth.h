#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/draft/open_nodes.h"
#include "runtime/draft/parallelspec/likely_tokens.h"
#include "runtime/draft/token_tree.h"
#include "runtime/sampling/top_tokens.h"

namespace outrider::draft {

/// The form of trees. It is the same in all rounds, as in the papers: calibration chooses it by replays of whole rounds and
/// the costs of passes, so that no round asks nodes_that_pay.
struct LevelShape {
  int length = 1;  // depths at most
  /// Children of every node by depth, from below the root; deeper nodes have one.
  std::vector<int> widths = {};
  /// A depth is drafted if the product of the largest probabilities of its slot and those before is at
  /// least this; with `best_nodes` a node is, if its path has at least this estimated probability.
  double threshold = 0;
  /// Above 0, instead of widths: the nodes whose paths are the most probable ones by rank_likely, at most so many (as in
  /// EAGLE-2, Li et al. 2024, whose drafter is asked anew at each depth).
  int best_nodes = 0;

  bool operator==(const LevelShape&) const = default;
  bool operator<(const LevelShape& other) const;
  /// Children of a node, at a depth counted from 0, the root's.
  int width(int depth) const;
  /// Whether every tree is a chain.
  bool is_chain() const;
  /// Nodes of a tree that the threshold does not end.
  int nodes() const;
  /// Nodes of a depth, from 0 below the root, that may be opened where others are to follow: at most.
  int most_of_depth(int depth) const;
  /// The form as text: "chain", "3,2,1" (widths), or "best:6".
  std::string tree() const;
};

/// What may stand at each depth of a draft: from passes of a drafter, or from a record of some. What follows a node
/// depends on its depth only, or, where `depends_on_nodes`, on the node, and then only of the depth reached last.
class Levels {
 public:
  virtual ~Levels() = default;
  /// Whether what follows a node is known only after a pass over it.
  virtual bool depends_on_nodes() const { return false; }
  /// Goes to the next depth, counted from 0.
  /// @param level  the nodes of the depth before that are opened, ascending, if what follows depends on them
  /// @return the logarithm of the largest probability of what follows the first of them
  virtual double reach(int depth, const TokenTree& tree, std::span<const int> level) = 0;
  /// Whether `draw` draws at random, of which a node has all or none.
  virtual bool draws_at_random() const { return false; }
  /// The tokens below a node of the level, best first or in the order drawn; at most so many.
  virtual std::span<const sampling::RankedToken> draw(const TokenTree& tree, int node,
                                                      int width) = 0;
  /// As the function rank_likely, below a node of a depth that was reached.
  virtual void rank_likely(const TokenTree& tree, int node, int width,
                           std::vector<LikelyToken>& likely) = 0;
  /// The logarithm of the probability of a token below a node, likewise.
  virtual float log_q(const TokenTree& tree, int node, Token token) = 0;
};

/// Drafts a tree depth by depth, or its most probable nodes first.
class LevelGrowth {
 public:
  /// @param depths  at most, instead of the shape's length
  /// @param tree    of just a root
  /// @return false where a depth, or the next node, was not probable enough
  bool run(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree);

 private:
  /// The best child of a node that is not in the tree yet.
  struct Candidate {
    double log_parent;
    int parent;
    int rank;
    std::size_t at, end;  // in children_: itself and its siblings after it
  };

  /// A node below one that was opened.
  struct Found {
    double log_path;
    int number;  // in the order of discovery
    int parent;  // in opened_
    Token token;
    Origin origin;
    int opened = TokenTree::kNone;  // its node in opened_

    /// Whether it is better.
    bool operator<(const Found& other) const;
  };

  bool run_by_depths(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree);
  bool add_level(int width, Levels& levels, TokenTree& tree);
  bool run_by_nodes(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree);
  bool run_by_opened(const LevelShape& shape, int depths, Levels& levels, TokenTree& tree);
  void find_below(int node, int width, Levels& levels);
  void open(Found& found);
  void add_found(TokenTree& tree);
  void add_candidate(double log_parent, int parent, int rank, std::size_t at, std::size_t end);
  void add_children(int node, double log_path, int width, Levels& levels, const TokenTree& tree);

  std::vector<int> level_;  // nodes of the depth before
  std::vector<int> next_level_;

  int reached_ = 0;                    // depths
  OpenNodes<Candidate> candidates_;    // by the logarithms of their paths
  std::vector<LikelyToken> children_;  // of all nodes
  std::vector<LikelyToken> likely_;    // of one

  TokenTree opened_ = TokenTree(0);  // all nodes that were opened
  std::vector<double> log_opened_;   // of their paths
  int discovered_ = 0;               // nodes below them
  std::vector<Found> found_;         // the best so far, best first
  std::vector<int> kept_;            // the opened nodes in the tree that is drafted
};

}  // namespace outrider::draft
