#include "runtime/cli/cost_flags.h"

#include "runtime/base/user_cache.h"
#include "runtime/cli/command_options.h"
#include "runtime/cli/shown_notices.h"

namespace outrider::cli {

void declare_cost_flags(CommandOptions& command, CostFlags& flags) {
  command
      .add_option("--costs", flags.costs,
                  "Times of passes, by which methods and lengths are chosen, where no artifact has "
                  "this machine's: quick (measured at first use, in a second or two, and kept in "
                  "~/.cache/outrider), stored (none: the artifacts' of another machine)")
      .check(one_of({"quick", "stored"}))
      .rare();
}

std::shared_ptr<cost::QuickCosts> quick_costs(const CostFlags& flags, bool quiet) {
  if (flags.costs != "quick") return nullptr;
  return std::make_shared<cost::QuickCosts>(user_cache_folder(), notices(quiet));
}

}  // namespace outrider::cli
