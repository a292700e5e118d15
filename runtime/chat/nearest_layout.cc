#include "runtime/chat/nearest_layout.h"

#include <algorithm>
#include <vector>

namespace outrider::text {

std::string nearest_layout(std::string_view jinja) {
  struct Hint {
    std::vector<std::string_view> marks;
    std::string_view layout;
  };
  // The first whose texts are all in the template.
  static const std::vector<Hint> hints = {
      {{"<|im_start|>", "</think>"}, "qwen3"},
      {{"<|im_start|>", "created by Alibaba Cloud"}, "qwen2.5"},
      {{"<|im_start|>"}, "chatml"},
      {{"<|start_header_id|>", "Today Date"}, "llama-3.1"},
      {{"<|start_header_id|>"}, "llama-3"},
      {{"[INST]", "<<SYS>>"}, "llama-2"},
      {{"[INST]", "[AVAILABLE_TOOLS] "}, "mistral-v3"},
      {{"[INST]", "[AVAILABLE_TOOLS]"}, "mistral-nemo"},
      {{"[INST]"}, "mistral"},
      {{"<|user|>", "<|end|>"}, "phi-3"},
      {{"<|user|>"}, "zephyr"},
      {{"USER:", "ASSISTANT:"}, "vicuna"},
  };
  for (const Hint& hint : hints) {
    const auto has = [&](std::string_view mark) { return jinja.find(mark) != jinja.npos; };
    if (std::all_of(hint.marks.begin(), hint.marks.end(), has)) return std::string(hint.layout);
  }
  return "";
}

}  // namespace outrider::text
