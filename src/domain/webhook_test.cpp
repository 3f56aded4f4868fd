#include "domain/webhook.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

constexpr Time kFirstAttempt = TimeFromMillis(1'800'000'000'000);

WebhookAnswer Status(int code) {
  WebhookAnswer answer;
  answer.status_code = code;
  return answer;
}

TEST(WebhookRetry, FirstIsAfterFiveSecondsThenDoublesToAnHour) {
  EXPECT_EQ(RetryDelay(1, 0.9), Seconds{5});
  EXPECT_EQ(RetryDelay(2, 0), Seconds{10});
  EXPECT_EQ(RetryDelay(2, 1), Seconds{12});
  EXPECT_EQ(RetryDelay(3, 0), Seconds{20});
  EXPECT_EQ(RetryDelay(100, 0), std::chrono::hours{1});
  EXPECT_EQ(RetryDelay(1'000'000, 1), std::chrono::minutes{72});
}

TEST(WebhookProgress, AcceptedEventMovesTheCursorAndEndsTheFailure) {
  WebhookProgress progress;
  Settle(progress, 7, Status(500), kFirstAttempt, 0);
  EXPECT_EQ(progress.cursor, 0);
  EXPECT_EQ(progress.attempts, 1);
  EXPECT_EQ(progress.next_attempt_at, kFirstAttempt + Seconds{5});
  EXPECT_EQ(progress.failing_since, kFirstAttempt);
  Settle(progress, 7, Status(204), kFirstAttempt + Seconds{5}, 0);
  EXPECT_EQ(progress, (WebhookProgress{.cursor = 7}));
}

TEST(WebhookProgress, RedirectsAndRefusalsAreFailures) {
  for (const int code : {0, 100, 301, 302, 307, 400, 404, 429, 500, 503}) {
    WebhookProgress progress;
    Settle(progress, 7, Status(code), kFirstAttempt, 0);
    EXPECT_EQ(progress.attempts, 1) << code;
    EXPECT_EQ(progress.disabled, "") << code;
  }
}

TEST(WebhookProgress, RetryAfterPostponesTheNextAttemptUpToAnHour) {
  auto answer = Status(503);
  answer.retry_after = Seconds{60};
  WebhookProgress progress;
  Settle(progress, 7, answer, kFirstAttempt, 0);
  EXPECT_EQ(progress.next_attempt_at, kFirstAttempt + Seconds{60});
  answer.retry_after = std::chrono::days{9};
  Settle(progress, 7, answer, kFirstAttempt, 0);
  EXPECT_EQ(progress.next_attempt_at, kFirstAttempt + std::chrono::hours{1});
}

TEST(Webhook, GetsItsTypesAndItsOwnTests) {
  Webhook webhook;
  webhook.id = 7;
  webhook.types = {"reservation.*"};
  const auto is_for = [&](std::string_view type, const std::string& data) {
    std::string json;
    AppendEventId(json, 1);
    AppendEventTail(json, {type, kFirstAttempt, "webhook 7", data});
    return IsFor(webhook, ParseEvent(json));
  };
  EXPECT_TRUE(is_for("reservation.held", "{}"));
  EXPECT_FALSE(is_for("concert.created", "{}"));
  EXPECT_TRUE(is_for("webhook.test", R"({"webhookId":7,"testId":"a"})"));
  webhook.types = {"*"};
  EXPECT_FALSE(is_for("webhook.test", R"({"webhookId":77,"testId":"a"})")) << "another endpoint's test";
}

TEST(WebhookProgress, GoneDisablesAtOnce) {
  WebhookProgress progress;
  Settle(progress, 7, Status(410), kFirstAttempt, 0);
  EXPECT_EQ(progress.disabled, kDisabledGone);
  EXPECT_EQ(progress.cursor, 0);
}

TEST(WebhookProgress, ThreeDaysOfFailuresDisable) {
  WebhookProgress progress;
  auto now = kFirstAttempt;
  int attempts = 0;
  while (progress.disabled.empty()) {
    Settle(progress, 7, Status(500), now, 0.5);
    ++attempts;
    if (progress.next_attempt_at) now = *progress.next_attempt_at;
    ASSERT_LE(now, kFirstAttempt + std::chrono::days{3});
  }
  EXPECT_EQ(progress.disabled, kDisabledFailing);
  EXPECT_EQ(now, kFirstAttempt + std::chrono::days{3});
  EXPECT_GT(attempts, 60);
}

TEST(WebhookPatch, NewUrlStatusOrCursorStartsAnew) {
  Webhook webhook;
  webhook.progress.attempts = 4;
  webhook.progress.failing_since = kFirstAttempt;
  EXPECT_FALSE(Apply(webhook, {.rate_per_second = 5, .description = "x"}));
  EXPECT_EQ(webhook.progress.attempts, 4);
  EXPECT_TRUE(Apply(webhook, {.active = false}));
  EXPECT_EQ(webhook.progress.disabled, kDisabledByOperator);
  EXPECT_TRUE(Apply(webhook, {.active = true, .after = 12}));
  EXPECT_EQ(webhook.progress, (WebhookProgress{.cursor = 12}));
  EXPECT_TRUE(Apply(webhook, {.url = "another endpoint"}));
}

TEST(WebhookDeliveries, NewestFiftyAreKeptOneLineAnEvent) {
  std::string recent;
  for (int event = 1; event <= 60; ++event) Remember(recent, {.event = event, .type = "t", .attempts = 1});
  Remember(recent, {.event = 60, .type = "t", .attempts = 2, .error = "line\nbreak"});
  const auto lines = NewestFirst(recent);
  ASSERT_EQ(lines.size(), kKeptDeliveries);
  EXPECT_TRUE(lines.front().starts_with("{\"id\":60,"));
  EXPECT_TRUE(lines.back().starts_with("{\"id\":11,"));
  EXPECT_EQ(AttemptsIn(recent, 60), 2);
  EXPECT_EQ(AttemptsIn(recent, 6), 0);
}

}  // namespace
}  // namespace maejin
