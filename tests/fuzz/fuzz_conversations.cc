// Any bytes as prompts of another format, which the first byte names: refused with an InputError, or
// records with ids, turns, and no more answers than turns.

#include <cstdlib>
#include <set>
#include <string>

#include "runtime/base/error.h"
#include "tests/fuzz/read_conversations.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  try {
    std::set<std::string> ids;
    for (const auto& record :
         fuzz::read_conversations({reinterpret_cast<const char*>(data), size})) {
      if (record.id.empty() || !ids.insert(record.id).second) std::abort();
      if (record.turns.empty() || record.answers.size() > record.turns.size()) std::abort();
      for (const std::string& turn : record.turns)
        if (turn.empty()) std::abort();
    }
  } catch (const InputError&) {
  }
  return 0;
}
