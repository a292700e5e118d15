// Damaged and malicious files: each must be refused with an InputError or load whole, and no length
// field may make the reader allocate more than the file could fill.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/base/error.h"
#include "runtime/model/model.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_llama.h"

namespace {
std::atomic<std::size_t> largest_allocation{0};
}

// Counts all allocations of this program. Not inlined, or the compiler would see only one half of a pair
// and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (size > largest_allocation) largest_allocation = size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace outrider::model {
namespace {

std::vector<std::byte> tiny_bytes() {
  return test::tiny_llama_gguf(
      {.layers = 1, .width = 32, .heads = 2, .kv_heads = 1, .ffn_width = 32}, 11,
      WeightType::kQ4_1);
}

/// Parses and reads a row of every tensor. @returns whether the file was accepted.
bool accepts(std::span<const std::byte> bytes) {
  try {
    const Model model = parse_model(bytes, "hostile");
    std::vector<float> row(static_cast<std::size_t>(model.config.width));
    model.embedding.read_row(model.config.vocab - 1, row.data());
    return true;
  } catch (const InputError&) {
    return false;
  }
}

TEST(HostileGguf, IsRefusedWhereverItIsCutOff) {
  const auto bytes = tiny_bytes();
  ASSERT_TRUE(accepts(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    // Copied, so that a sanitizer sees a read past the end.
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<long>(size));
    // The padding after the last tensor is not needed.
    ASSERT_FALSE(accepts(cut) && size + 32 < bytes.size()) << size << " bytes";
  }
}

TEST(HostileGguf, SurvivesEveryFlippedBitOfItsMetadata) {
  auto bytes = tiny_bytes();
  const std::size_t header =
      test::tiny_llama_writer(
          {.layers = 1, .width = 32, .heads = 2, .kv_heads = 1, .ffn_width = 32}, 11,
          WeightType::kQ4_1)
          .header_size();
  int refused = 0;
  largest_allocation = 0;
  for (std::size_t at = 0; at < header; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] ^= std::byte{1} << bit;
      refused += !accepts(bytes);
      bytes[at] ^= std::byte{1} << bit;
    }
  }
  EXPECT_GT(refused, static_cast<int>(header));  // most of it is text, which may say anything
  EXPECT_LE(largest_allocation, 8 * bytes.size());
}

TEST(HostileGguf, AllocatesNoMoreThanItsSizeAllowsForAnyHugeLength) {
  const auto bytes = tiny_bytes();
  for (const std::uint64_t length :
       {std::uint64_t{1} << 32, std::uint64_t{1} << 62, UINT64_MAX, std::uint64_t{100'000'000}}) {
    largest_allocation = 0;
    for (std::size_t at = 8; at < 2000; ++at) {
      auto damaged = bytes;
      std::memcpy(damaged.data() + at, &length, sizeof length);
      accepts(damaged);
    }
    EXPECT_LE(largest_allocation, 8 * bytes.size()) << length;
  }
}

TEST(HostileGguf, ClaimingFourGigabytesIsRefusedWithTheClaimAndTheBytesLeft) {
  test::GgufWriter writer;
  auto claim = std::vector<std::byte>(8);
  claim[4] = std::byte{1};  // 2^32
  writer.set_raw("general.name", 8, claim);
  writer.set("general.description", std::string(800, 'x'));
  const auto bytes = writer.bytes();
  ASSERT_LT(bytes.size(), 1024u);
  largest_allocation = 0;
  test::expect_input_error([&] { parse_model(bytes, "claims.gguf"); }, "claims.gguf",
                           "general.name", "4294967296");
  EXPECT_LE(largest_allocation, 2048u);
}

TEST(HostileGguf, ClaimingManyKeysTensorsOrElementsIsRefused) {
  for (const std::size_t at : {std::size_t{8}, std::size_t{16}}) {  // counts of tensors and keys
    for (const std::uint64_t count : {std::uint64_t{1} << 20, std::uint64_t{1} << 40, UINT64_MAX}) {
      auto bytes = tiny_bytes();
      std::memcpy(bytes.data() + at, &count, sizeof count);
      test::expect_input_error([&] { parse_model(bytes, "many.gguf"); }, "many.gguf",
                               std::to_string(count), "too many for a file of this size");
    }
  }
  test::GgufWriter writer = test::tiny_llama_writer({}, 1, WeightType::kF32);
  for (const unsigned char element : {std::uint8_t{5}, std::uint8_t{8}}) {  // int32 and string
    std::vector<std::byte> array(12);
    array[0] = std::byte{element};
    array[11] = std::byte{0x40};
    writer.set_raw("tokenizer.ggml.token_type", 9, array);
    test::expect_input_error([&] { parse_model(writer.bytes(), "many.gguf"); }, "many.gguf",
                             "token_type", "claims 4611686018427387904");
  }
}

}  // namespace
}  // namespace outrider::model
