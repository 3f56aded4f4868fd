#include "base/json_writer.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

namespace maejin {
namespace {

TEST(JsonWriter, KeepsCommasAndNesting) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("rank", 1);
    json.Array("seats", [&] {
      json.Element(4);
      json.Object([&] { json.Field("ok", true); });
    });
    json.Object("eta", [] {});
    json.Null("notice");
    json.Field("at", TimeFromMillis(0));
  });
  EXPECT_EQ(out,
            R"({"rank":1,"seats":[4,{"ok":true}],"eta":{},"notice":null,"at":"1970-01-01T00:00:00.000Z"})");
}

TEST(JsonWriter, EscapesTextAndReplacesInvalidUtf8) {
  std::string out;
  AppendJsonString(out, std::string_view("매진 \"\\\n\x01\xC3(\xED\xA0\x80", 16));
  EXPECT_EQ(out, "\"매진 \\\"\\\\\\n\\u0001\uFFFD(\uFFFD\uFFFD\uFFFD\"");
}

// Short texts, long texts and eight bytes at once are different paths of the writer.
TEST(JsonWriter, EveryByteAtEveryPositionOfATextIsPlainOrEscaped) {
  for (const std::size_t length : {1U, 7U, 8U, 9U, 17U, 62U, 63U, 80U}) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 128; ++byte) {
        std::string text(length, 'a');
        text[at] = static_cast<char>(byte);
        std::string out;
        AppendJsonString(out, text);
        const bool plain = byte >= 0x20 && byte != '"' && byte != '\\';
        ASSERT_EQ(out == '"' + text + '"', plain) << length << " " << at << " " << byte;
        ASSERT_EQ(boost::json::parse(out).as_string(), text) << length << " " << at << " " << byte;
      }
    }
  }
}

TEST(JsonWriter, AnIdAndALongNameAreWrittenAsTexts) {
  std::string out;
  JsonWriter json(out);
  const auto id = Id128::Parse("00112233445566778899aabbccddeeff");
  const std::string name(70, 'n');
  json.Object([&] {
    json.Field("id", *id);
    json.Field(name, 1);
  });
  EXPECT_EQ(out, "{\"id\":\"00112233445566778899aabbccddeeff\",\"" + name + "\":1}");
}

}  // namespace
}  // namespace maejin
