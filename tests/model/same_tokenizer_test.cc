#include "runtime/model/same_tokenizer.h"

#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_llama.h"

namespace outrider::model {
namespace {

class SameTokenizer : public testing::Test {
 protected:
  SameTokenizer()
      : bytes_(test::tiny_llama_gguf({}, 1, WeightType::kF32)),
        target_(parse_model(bytes_, "tiny")),
        draft_(target_) {
    target_.path = "target.gguf";
    draft_.path = "draft.gguf";
  }

  void expect_refused(const std::string& why) {
    test::expect_input_error([&] { check_same_tokenizer(target_, draft_); }, "draft.gguf",
                             "target.gguf", why);
  }

  std::vector<std::byte> bytes_;
  Model target_;
  Model draft_;
};

TEST_F(SameTokenizer, AcceptsOtherMergesAndEnds) {
  draft_.tokenizer.merges.clear();
  draft_.tokenizer.end_tokens = {0};
  draft_.tokenizer.kinds[7] = text::TokenKind::kUserDefined;
  check_same_tokenizer(target_, draft_);
}

TEST_F(SameTokenizer, AcceptsPaddingAndSpecialTokensOfOneOnly) {
  for (Model* padded : {&draft_, &target_}) {
    padded->tokenizer.tokens.emplace_back("[PAD274]");
    padded->tokenizer.kinds.push_back(text::TokenKind::kUnused);
    check_same_tokenizer(target_, draft_);
  }
  draft_.tokenizer.tokens[274] = "[unused 274]";
  draft_.tokenizer.tokens.emplace_back("<|more|>");
  draft_.tokenizer.kinds.push_back(text::TokenKind::kControl);
  check_same_tokenizer(target_, draft_);
  target_.tokenizer.tokens[274] = "<|tool|>";
  target_.tokenizer.kinds[274] = text::TokenKind::kControl;
  check_same_tokenizer(target_, draft_);
  target_.tokenizer.kinds[274] = text::TokenKind::kNormal;
  expect_refused(R"(token 274 is expected to be "<|tool|>", found "[unused 274]")");
}

TEST_F(SameTokenizer, RefusesAnotherText) {
  draft_.tokenizer.tokens[260] = "i\nx";
  expect_refused(R"(token 260 is expected to be "in", found "i\nx")");
}

TEST_F(SameTokenizer, RefusesAnotherKind) {
  draft_.tokenizer.kinds[1] = text::TokenKind::kNormal;
  expect_refused(R"(token 1 is expected to be "<|im_start|>" (special), found "<|im_start|>")");
  draft_.tokenizer.kinds[1] = text::TokenKind::kUnknown;
  check_same_tokenizer(target_, draft_);
}

TEST_F(SameTokenizer, RefusesTokensTooManyOrTooFew) {
  draft_.tokenizer.tokens.emplace_back("more");
  draft_.tokenizer.kinds.push_back(text::TokenKind::kNormal);
  expect_refused(R"((275 and 274 tokens): token 274 is expected to be no token, found "more")");
  draft_.tokenizer.tokens.resize(270);
  draft_.tokenizer.kinds.resize(270);
  expect_refused("token 270 is expected to be");
}

}  // namespace
}  // namespace outrider::model
