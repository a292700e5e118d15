#include "runtime/base/user_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>
#include <string>

namespace outrider {
namespace {

/// Changes a variable of the environment; afterwards it is as before.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* now = ::getenv(name)) before_ = now;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

std::string folder(const char* cache, const char* home) {
  const Variable first("XDG_CACHE_HOME", cache), second("HOME", home);
  return user_cache_folder().string();
}

TEST(UserCache, IsInTheFolderForCaches) {
  EXPECT_EQ(folder("/c", "/h"), "/c/outrider");
  EXPECT_EQ(folder(nullptr, "/h"), "/h/.cache/outrider");
  EXPECT_EQ(folder("", "/h"), "/h/.cache/outrider");
  EXPECT_EQ(folder("relative", "/h"), "/h/.cache/outrider");
  EXPECT_EQ(folder(nullptr, nullptr), "");
}

}  // namespace
}  // namespace outrider
