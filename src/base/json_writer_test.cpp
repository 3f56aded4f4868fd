#include "base/json_writer.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace maejin
