#pragma once

#include "runtime/base/command_line.h"

namespace outrider::data {

/// `data export`: writes traces for other tools.
Command add_export(CLI::App& program);

}  // namespace outrider::data
