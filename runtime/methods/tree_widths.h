#pragma once

#include <string>
#include <vector>

namespace outrider::methods {

/// The form of --tree: "chain", or the children of every node by depth from below the root, "3,2,1";
/// deeper nodes have one. @return empty for a chain
/// @throws InputError for another form
std::vector<int> parse_tree_widths(const std::string& text);

/// Checks that the widths fit a tree of `depths` depths with no more nodes than a pass should
/// verify.
/// @throws InputError otherwise
void check_tree(const std::vector<int>& widths, int depths);

}  // namespace outrider::methods
