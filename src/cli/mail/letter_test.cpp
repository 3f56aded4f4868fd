#include "cli/mail/letter.h"

#include <gtest/gtest.h>

#include "base/crypto.h"

namespace maejin::cli {
namespace {

LetterHeaders Headers() {
  return {"box@shop.example", "", "ann@fan.example", "evt-1.a@shop.example",
          TimeFromMillis(1'700'000'000'000)};
}

std::string DecodeWord(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return DecodeBase64Url(text.substr(0, text.find('='))).value_or("?");
}

TEST(Letter, EveryKindHasATemplateInBothLanguages) {
  for (const auto* kind : {"confirmed", "refunded", "cancelled"}) {
    for (const auto* language : {"ko", "en"}) {
      const auto text = FindTemplate(kind, language);
      ASSERT_TRUE(text) << kind << language;
      EXPECT_NE(text->find("{code}"), std::string_view::npos);
      EXPECT_NE(text->find("\n\n"), std::string_view::npos) << "a subject, then the text";
    }
  }
  EXPECT_FALSE(FindTemplate("held", "en"));
}

TEST(Letter, PlaceholdersAreReplacedOnce) {
  const LetterFields fields{{"title", "{code}"}, {"code", "K7M2"}};
  EXPECT_EQ(FillTemplate("{title} {code} {other} {", fields), "{code} K7M2 {other} {");
}

TEST(Letter, SubjectAddsNoHeader) {
  const auto message = MakeMessage(Headers(), "Evil\rBcc: all@x.example\n\ntext");
  EXPECT_EQ(message.find("Bcc"), std::string::npos) << "encoded";
  const auto begin = message.find("=?UTF-8?B?") + 10;
  EXPECT_EQ(DecodeWord(message.substr(begin, message.find("?=", begin) - begin)), "Evil Bcc: all@x.example");
}

TEST(Letter, LongSubjectIsCutBetweenCharacters) {
  std::string subject;
  for (int i = 0; i < 40; ++i) subject += "매";
  const auto message = MakeMessage(Headers(), subject + "\n\ntext");
  std::string decoded;
  for (auto at = message.find("=?UTF-8?B?"); at != std::string::npos; at = message.find("=?UTF-8?B?", at)) {
    const auto end = message.find("?=", at + 10);
    EXPECT_LE(end + 2 - at, 75U);
    const auto part = DecodeWord(message.substr(at + 10, end - at - 10));
    EXPECT_EQ(part.size() % 3, 0U) << "whole characters";
    decoded += part;
    at = end;
  }
  EXPECT_EQ(decoded, subject);
}

TEST(Letter, MessageHasItsIdDateAndShortLines) {
  const auto message = MakeMessage(Headers(), "Subject\n\n" + std::string(500, 'x') + "\n");
  EXPECT_NE(message.find("Message-ID: <evt-1.a@shop.example>\r\n"), std::string::npos);
  EXPECT_NE(message.find("Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"), std::string::npos);
  std::size_t begin = 0;
  for (auto end = message.find("\r\n"); end != std::string::npos; end = message.find("\r\n", begin)) {
    EXPECT_LE(end - begin, 78U);
    begin = end + 2;
  }
  EXPECT_EQ(begin, message.size()) << "ends with a line end";
}

}  // namespace
}  // namespace maejin::cli
