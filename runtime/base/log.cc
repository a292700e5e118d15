#include "runtime/base/log.h"

#include <unistd.h>

#include "runtime/base/descriptors.h"

namespace outrider {

void write_log(std::string_view text) noexcept { (void)write_whole(STDERR_FILENO, text); }

}  // namespace outrider
