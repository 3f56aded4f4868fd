#include "http/json_pieces.h"

#include <gtest/gtest.h>

namespace maejin::http {
namespace {

// Feeds `body` in steps of `step` bytes. Returns "line:text" of every piece, and "!" if Finish() returns
// false.
std::string Cut(std::string_view body, JsonPieces::Cut cut, std::size_t step, std::size_t longest = 100) {
  JsonPieces cutter(longest, cut);
  std::vector<JsonPieces::Piece> pieces;
  for (std::size_t at = 0; at < body.size(); at += step) cutter.Feed(body.substr(at, step), pieces);
  const bool whole = cutter.Finish(pieces);
  std::string text;
  for (const auto& piece : pieces) {
    text += std::to_string(piece.line) + ":" + (piece.too_long ? "too long" : piece.text) + "|";
  }
  return whole ? text : text + "!";
}

struct Example {
  const char* body;
  JsonPieces::Cut cut;
  const char* pieces;
};

TEST(JsonPieces, AreTheSameForEveryChunkSize) {
  using enum JsonPieces::Cut;
  const Example examples[] = {
      {"{\"a\":1}\n\n{\"b\":\"}\"}\n", kLines, "1:{\"a\":1}|3:{\"b\":\"}\"}|"},
      {"{\"a\":\n1}", kLines, "1:{\"a\":|2:1}|"},
      {"{\"a\":\n1}", kObjects, "1:{\"a\":\n1}|"},
      {"\n{\n\"a\": \"}\\\"{\"\n}\n\n  {}{\"b\":[{}]}\n", kObjects,
       "2:{\n\"a\": \"}\\\"{\"\n}|6:{}|6:{\"b\":[{}]}|"},
      {"true\n{}", kObjects, "1:true\n|2:{}|"},
      {"{\"a\":", kObjects, "1:{\"a\":|"},
      {" [ {\"a\":\n1}, [2,\"]\"] ]\n", kObjects, "1: {\"a\":\n1}|2: [2,\"]\"] |"},
      {"[{},{}", kLines, "1:{}|!"},
      {"[]", kObjects, ""},
      {"", kObjects, ""},
  };
  for (const auto& example : examples) {
    for (const std::size_t step : {1U, 2U, 7U, 1000U}) {
      EXPECT_EQ(Cut(example.body, example.cut, step), example.pieces) << example.body << " by " << step;
    }
  }
}

TEST(JsonPieces, TooLongPieceIsReportedAndTheNextOneIsWhole) {
  const auto body = "{\"a\":\"" + std::string(200, 'x') + "\"}\n{}\n";
  EXPECT_EQ(Cut(body, JsonPieces::Cut::kLines, 13), "1:too long|2:{}|");
  EXPECT_EQ(Cut(body, JsonPieces::Cut::kObjects, 13), "1:too long|2:{}|");
}

TEST(JsonPieces, SplitLinesAndElementsAtEdgeCases) {
  constexpr std::pair<const char*, const char*> kExamples[] = {
      {"\n \r\n", ""},
      {"{\"a\":1}\r\n\r\n{\"b\":2}", "1:{\"a\":1}\r|3:{\"b\":2}|"},
      {"\n\n{\"a\":1}\nbroken", "3:{\"a\":1}|4:broken|"},
      {"[\"],{\",\"\\\"]\"]", "1:\"],{\"|2:\"\\\"]\"|"},
      {"[1,,2]", "1:1|2:?|3:2|"},
      {"[1,]", "1:1|2:?|"},
      {"[1] 2", "1:1|!"},
      {"[\"unfinished", "!"},
      {"12345678901234567890\n", "1:12345678901234567890|"},
      {"123456789012345678901\n{\"a\":1}", "1:too long|2:{\"a\":1}|"},
      {"[123456789012345678901,7]", "1:too long|2:7|"},
  };
  for (const auto& [body, pieces] : kExamples) {
    for (std::size_t step = 1; step <= 30; ++step) {
      ASSERT_EQ(Cut(body, JsonPieces::Cut::kLines, step, 20), pieces) << body << " by " << step;
    }
  }
}

TEST(JsonPieces, BufferOfAnEndlessLineIsBounded) {
  JsonPieces cutter(20);
  std::vector<JsonPieces::Piece> found;
  for (int i = 0; i < 1000; ++i) cutter.Feed(std::string(1000, 'x'), found);
  EXPECT_TRUE(found.empty());
  EXPECT_TRUE(cutter.Finish(found));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].too_long);
  EXPECT_TRUE(found[0].text.empty());
}

}  // namespace
}  // namespace maejin::http
