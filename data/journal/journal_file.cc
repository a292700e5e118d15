#include "data/journal/journal_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "runtime/base/hash.h"

namespace outrider::data {
namespace {

constexpr std::size_t kFrame = 2;  // the number of values and the hash

std::int32_t check_of(std::span<const std::int32_t> values) {
  Hasher hasher;
  hasher.add(std::as_bytes(values));
  return static_cast<std::int32_t>(hasher.low() & 0x7fffffff);
}

JournalEntry read_numbers(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  JournalEntry numbers(bytes.size() / sizeof(std::int32_t));
  std::copy_n(bytes.data(), numbers.size() * sizeof(std::int32_t),
              reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

}  // namespace

JournalFile read_journal_file(const std::filesystem::path& path) {
  const JournalEntry numbers = read_numbers(path);
  std::span<const std::int32_t> rest = numbers;
  JournalFile file;
  while (!rest.empty() && rest[0] >= 0) {
    const std::size_t size = static_cast<std::size_t>(rest[0]) + kFrame;
    if (size > rest.size()) break;
    const auto frame = rest.first(size);
    if (frame.back() != check_of(frame.first(size - 1))) break;
    file.entries.emplace_back(frame.begin() + 1, frame.end() - 1);
    rest = rest.subspan(size);
  }
  file.bytes = (numbers.size() - rest.size()) * sizeof(std::int32_t);
  return file;
}

JournalEntry framed(const JournalEntry& entry) {
  JournalEntry all = {static_cast<std::int32_t>(entry.size())};
  all.insert(all.end(), entry.begin(), entry.end());
  all.push_back(check_of(all));
  return all;
}

}  // namespace outrider::data
