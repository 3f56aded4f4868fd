#include "http/json_body.h"

#include <gtest/gtest.h>

#include "http/problem.h"

namespace maejin::http {
namespace {

class JsonHeaders final : public Headers {
 public:
  explicit JsonHeaders(std::string type) : type_(std::move(type)) {}
  std::string_view Find(std::string_view name) const override {
    return name == "Content-Type" ? std::string_view(type_) : std::string_view{};
  }

 private:
  std::string type_;
};

class JsonBodyTest : public ::testing::Test {
 protected:
  JsonBody Parse(std::string_view text) {
    Request request;
    request.headers = &headers_;
    request.body = text;
    return JsonBody(request);
  }
  // The field that `read` refuses, the code of a refusal without a field, or "" for no refusal.
  template <class Read>
  std::string Refusing(std::string_view text, Read&& read) {
    auto body = Parse(text);
    read(body.root());
    const auto refused = body.Finish();
    if (!refused) return "";
    if (refused->why != Refusal::kInvalidField) return std::string(Code(refused->why));
    return refused->about.substr(0, refused->about.find(':'));
  }

  JsonHeaders headers_{"application/json; charset=utf-8"};
};

TEST_F(JsonBodyTest, AKeyThatOccursTwiceIsRefused) {
  const auto ignore = [](JsonObject& root) {
    for (const auto* name : {"a", "b", "c:"}) root.OptionalText(name);
  };
  EXPECT_EQ(Refusing(R"({"a":"1","a":"1"})", ignore), "invalid-json");
  EXPECT_EQ(Refusing(R"({"a":"1","b":"\"","a":"2"})", ignore), "invalid-json");
  EXPECT_EQ(Refusing(R"({"a":"1","\u0061":"2"})", ignore), "invalid-json") << "the same key, escaped";
  const auto nested = [](JsonObject& root) { root.Objects("o", {1, 5}); };
  EXPECT_EQ(Refusing(R"({"o":[{"n":1},{"n":2,"n":3}]})", nested), "invalid-json");
  EXPECT_EQ(Refusing(R"({"a":"x:y","b":"\\","c:":"\":"})", ignore), "") << "colons inside of texts";
}

TEST_F(JsonBodyTest, ControlCharactersAreRefusedExceptLineEndsAndTabsOfAMultilineText) {
  const auto read = [](JsonObject& root) { root.Text("t"); };
  for (const char* text : {R"({"t":"a\u0000"})", R"({"t":"\u001b[2J"})", R"({"t":"\u0007"})",
                           R"({"t":"a\nb"})", R"({"t":"\u007f"})"})
    EXPECT_EQ(Refusing(text, read), "t") << text;
  EXPECT_EQ(Refusing(R"({"t":"매진 – Ω 🎫"})", read), "");
  const auto read_lines = [](JsonObject& root) { root.Text("t", {.multiline = true}); };
  EXPECT_EQ(Refusing(R"({"t":"a\r\n\tb"})", read_lines), "");
  EXPECT_EQ(Refusing(R"({"t":"a\u001b[2J"})", read_lines), "t");
}

TEST_F(JsonBodyTest, ReadsFieldsOfEveryKind) {
  auto body = Parse(R"({"t":"매진","i":7,"d":"2025-10-31","at":"2025-10-31T10:00:00Z","b":true,"c":"two",
                       "ints":[1,2],"objects":[{"n":1},{"n":2}],"nothing":null})");
  auto& root = body.root();
  EXPECT_EQ(root.Text("t"), "매진");
  EXPECT_EQ(root.Int("i"), 7);
  EXPECT_EQ(FormatDate(root.Day("d")), "2025-10-31");
  EXPECT_EQ(FormatTime(root.Instant("at")), "2025-10-31T10:00:00.000Z");
  EXPECT_EQ(root.OptionalBool("b"), true);
  EXPECT_EQ(root.OptionalChoice("c", {"one", "two"}), 1U);
  EXPECT_EQ(root.Ints("ints", {1, 5}, {1, 9}), (std::vector<std::int64_t>{1, 2}));
  auto objects = root.Objects("objects", {1, 5});
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[1].Int("n"), 2);
  EXPECT_EQ(root.OptionalInt("nothing"), std::nullopt);
  EXPECT_EQ(root.OptionalText("absent"), std::nullopt);
  EXPECT_EQ(body.Finish(), std::nullopt);
}

TEST_F(JsonBodyTest, FirstInvalidFieldIsNamed) {
  const auto text = [](JsonObject& root) { root.Text("a", {1, 3}); };
  EXPECT_EQ(Refusing(R"({})", text), "a");
  EXPECT_EQ(Refusing(R"({"a":null})", text), "a");
  EXPECT_EQ(Refusing(R"({"a":1})", text), "a");
  EXPECT_EQ(Refusing(R"({"a":""})", text), "a");
  EXPECT_EQ(Refusing(R"({"a":"four"})", text), "a");
  EXPECT_EQ(Refusing(R"({"a":"abc"})", text), "");
  EXPECT_EQ(Refusing(R"({"a":"abc","b":1})", text), "b") << "unknown fields are refused by name";
}

TEST_F(JsonBodyTest, NumbersAreIntegersInRange) {
  const auto number = [](JsonObject& root) { root.Int("a", {1, 10}); };
  for (const auto* good : {"1", "10", "5.0", "1e1"})
    EXPECT_EQ(Refusing(fmt::format(R"({{"a":{}}})", good), number), "") << good;
  for (const auto* bad : {"0", "11", "-1", "1.5", "\"5\"", "true", "1e400", "99999999999999999999", "[]"}) {
    EXPECT_NE(Refusing(fmt::format(R"({{"a":{}}})", bad), number), "") << bad;
  }
}

TEST_F(JsonBodyTest, NestedFieldsAreNamedByTheirPath) {
  const auto nested = [](JsonObject& root) {
    for (auto& each : root.Objects("list", {1, 3})) {
      each.Int("n");
      each.Finish();
    }
  };
  EXPECT_EQ(Refusing(R"({"list":[{"n":1},{"n":"x"}]})", nested), "list[1].n");
  EXPECT_EQ(Refusing(R"({"list":[{"n":1,"m":2}]})", nested), "list[0].m");
  EXPECT_EQ(Refusing(R"({"list":[7]})", nested), "list[0]");
  EXPECT_EQ(Refusing(R"({"list":[]})", nested), "list");
  EXPECT_EQ(Refusing(R"({"list":{}})", nested), "list");
  EXPECT_EQ(Refusing(R"({})", nested), "list");
}

TEST_F(JsonBodyTest, BodyThatIsNoJsonObjectIsRefused) {
  const auto nothing = [](JsonObject&) {};
  EXPECT_EQ(Refusing("", nothing), "") << "an empty body reads as {}";
  for (const auto* bad :
       {"{", "{}}", "{\"a\":}", "nonsense", "{'a':1}", "{\"a\":1,}", "\xff", "{\"a\":NaN}", "//\n{}"}) {
    EXPECT_EQ(Refusing(bad, nothing), "invalid-json") << bad;
  }
  for (const auto* bad : {"[]", "1", "\"a\"", "null"}) EXPECT_EQ(Refusing(bad, nothing), "body") << bad;
}

TEST_F(JsonBodyTest, NestingBeyondSixteenIsRefused) {
  const auto any = [](JsonObject& root) { root.Has("a"); };
  const auto nested = [](int depth) {
    return "{\"a\":" + std::string(static_cast<std::size_t>(depth - 1), '[') +
           std::string(static_cast<std::size_t>(depth - 1), ']') + "}";
  };
  EXPECT_EQ(Refusing(nested(16), any), "a") << "parsed, though unknown";
  EXPECT_EQ(Refusing(nested(18), any), "invalid-json");
  EXPECT_EQ(Refusing(nested(30'000), any), "invalid-json");
}

TEST_F(JsonBodyTest, AnotherMediaTypeIsRefused) {
  headers_ = JsonHeaders("text/plain");
  EXPECT_EQ(Refusing("{}", [](JsonObject&) {}), "unsupported-media-type");
  headers_ = JsonHeaders("");
  EXPECT_EQ(Refusing("{}", [](JsonObject&) {}), "unsupported-media-type");
  headers_ = JsonHeaders("Application/Merge-Patch+JSON");
  EXPECT_EQ(Refusing("{}", [](JsonObject&) {}), "");
}

TEST(ProblemTest, EveryRefusalHasItsOwnCodeAndText) {
  for (int i = 0; i <= static_cast<int>(Refusal::kNotRanked); ++i) {
    const auto refusal = static_cast<Refusal>(i);
    const auto* text = FindProblem(Code(refusal));
    ASSERT_NE(text, nullptr) << Code(refusal);
    EXPECT_EQ(text->code, Code(refusal));
    EXPECT_EQ(text->status, StatusOf(refusal));
    EXPECT_FALSE(text->detail_en.empty());
    EXPECT_FALSE(text->detail_ko.empty());
    EXPECT_FALSE(text->detail_ja.empty());
    EXPECT_FALSE(text->detail_zh.empty());
  }
}

TEST(ProblemTest, SeedTextsAreUsed) {
  const JsonHeaders headers("");
  Request request;
  request.headers = &headers;
  request.language = Language::kKorean;
  const auto body_of = [&](Refused refused) {
    Response response;
    WriteProblem(refused, request, response);
    return response.body;
  };
  EXPECT_THAT(body_of(Refusal::kSoldOut), ::testing::HasSubstr(R"("detail":"매진)"));
  EXPECT_THAT(body_of(Refusal::kSeatHeld), ::testing::HasSubstr(R"("detail":"다른 사용자가 선택 중)"));
  EXPECT_THAT(body_of(Refusal::kSeatTaken), ::testing::HasSubstr(R"("detail":"이미 예매된 좌석)"));
  Refused sold_out(Refusal::kSoldOut);
  sold_out.may_return = true;
  EXPECT_THAT(body_of(sold_out), ::testing::HasSubstr(R"("mayReturn":true)"));
}

}  // namespace
}  // namespace maejin::http
