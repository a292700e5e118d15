#pragma once

#include <gtest/gtest.h>

#include <string>

#include "runtime/base/error.h"

namespace outrider::test {

/// Expects `action()` to throw an InputError whose message contains all of `parts`.
template <typename Action, typename... Parts>
void expect_input_error(Action&& action, const Parts&... parts) {
  try {
    action();
  } catch (const InputError& error) {
    const std::string message = error.what();
    for (const std::string& part : {std::string(parts)...}) {
      EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
    }
    return;
  }
  ADD_FAILURE() << "no InputError was thrown";
}

}  // namespace outrider::test
