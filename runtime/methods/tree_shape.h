#pragma once

#include <string>

#include "runtime/draft/parallelspec/level_growth.h"

namespace outrider::methods {

/// The form of --tree: "chain"; or the children of every node by depth from below the root, "3,2,1", where
/// deeper nodes have one; or "best:6", draft::LevelShape::best_nodes.
/// @return a shape without threshold, as long as it has widths, else of length 0
/// @throws InputError for another form
draft::LevelShape parse_tree(const std::string& text);

/// Checks that a tree of this shape has no more depths than its length and no more nodes than a pass should
/// verify.
/// @throws InputError otherwise
void check_tree(const draft::LevelShape& shape);

}  // namespace outrider::methods
