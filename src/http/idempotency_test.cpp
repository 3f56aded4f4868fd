#include "http/idempotency.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "base/run_task.h"
#include "domain/waiting_room/place_token.h"
#include "http/callers.h"
#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Post;
using ::testing::HasSubstr;

// The port, implemented in memory.
class MemoryStore final : public IdempotencyStore {
 public:
  Task<Outcome<IdempotencyBegin>> Begin(IdempotentRequest request, Time) override {
    const std::lock_guard lock(mutex_);
    const auto [found, added] = entries_.try_emplace(request.id, Entry{request.fingerprint, {}});
    IdempotencyBegin begun;
    if (!added) {
      begun.kind = found->second.fingerprint != request.fingerprint ? IdempotencyBegin::Kind::kMismatch
                   : found->second.answer                           ? IdempotencyBegin::Kind::kReplay
                                                                    : IdempotencyBegin::Kind::kRunning;
      begun.answer = found->second.answer;
    }
    co_return begun;
  }
  Task<Outcome<Done>> Finish(IdempotentRequest request, StoredAnswer answer) override {
    const std::lock_guard lock(mutex_);
    entries_.at(request.id).answer = std::move(answer);
    co_return Done{};
  }
  void Abandon(const IdempotentRequest& request) override {
    const std::lock_guard lock(mutex_);
    entries_.erase(request.id);
  }

 private:
  struct Entry {
    Digest fingerprint;
    std::optional<StoredAnswer> answer;
  };
  std::mutex mutex_;
  std::map<Digest, Entry> entries_;
};

std::unique_ptr<KeyRing::Keys> OneMacKey() {
  auto keys = std::make_unique<KeyRing::Keys>();
  keys->macs.push_back({1, HmacSha256("a key of the tests")});
  return keys;
}

class IdempotencyTest : public ::testing::Test {
 protected:
  ::maejin::testing::RawResponse Send(const std::string& key, const std::string& body,
                                      const std::string& more = "X-User-Id: ann\r\n") {
    return toy_.Ask(Post("/effects", body, "Idempotency-Key: " + key + "\r\n" + more));
  }
  std::string QueueToken(std::string_view user) {
    std::string token;
    AppendPlaceToken(keys_, {.room = "main", .user = user, .number = 1, .epoch = 1}, token);
    return "X-Queue-Token: " + token + "\r\n";
  }

  MemoryStore store_;
  SystemClock clock_;
  AnswerOnce answers_{store_, clock_};
  KeyRing keys_{OneMacKey()};
  std::unique_ptr<Identity> identity_ = MakeTrustedIdentity();
  Idempotency idempotency_{answers_};
  ToyServer toy_{{}, [this](Handler handler) {
                   return idempotency_.ForFans(CallerByUserOrQueueToken(*identity_, keys_),
                                               std::move(handler));
                 }};
};

TEST_F(IdempotencyTest, RepeatedRequestHasOneEffectAndOneAnswer) {
  const auto first = Send("k1", "{}");
  const auto again = Send("k1", "{}");
  EXPECT_EQ(toy_.effects(), 1);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.Header("Location"), "/effects/1");
  EXPECT_EQ(first.Header("Idempotent-Replayed"), "");
  EXPECT_EQ(again.Header("Idempotent-Replayed"), "true");
}

TEST_F(IdempotencyTest, RequestsWithoutAKeyEachHaveAnEffect) {
  toy_.Ask(Post("/effects", "{}"));
  toy_.Ask(Post("/effects", "{}"));
  EXPECT_EQ(toy_.effects(), 2);
}

TEST_F(IdempotencyTest, ConcurrentRequestsOfOneKeyHaveOneEffect) {
  // The other requests are refused as running, or get the stored answer.
  std::vector<::maejin::testing::RawClient> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(toy_.Connect());
  for (auto& client : clients)
    client.Send(Post("/effects", "{}", "Idempotency-Key: k1\r\nX-User-Id: ann\r\n"));
  for (auto& client : clients) {
    const auto response = client.Receive();
    ASSERT_TRUE(response);
    EXPECT_TRUE(response->status == 201 || response->status == 409) << response->status;
  }
  EXPECT_EQ(toy_.effects(), 1);
}

TEST_F(IdempotencyTest, KeyOfARunningRequestIsRefused) {
  const auto body = std::string("{}");
  const std::string caller = "user 3 ann";
  // The same name that Idempotency computes. The request begins in the store here, and never finishes.
  const auto path = std::string("/effects");
  const auto name = std::to_string(caller.size()) + ' ' + caller + ' ' +
                    std::to_string(static_cast<int>(Method::kPost)) + ' ' + std::to_string(path.size()) +
                    ' ' + path + " k1";
  EXPECT_TRUE(RunTask(store_.Begin({.id = Sha256(name), .fingerprint = Sha256(body)}, clock_.Now())).ok());
  const auto refused = Send("k1", body);
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("idempotency-running"));
  EXPECT_NE(refused.Header("Retry-After"), "");
  EXPECT_EQ(toy_.effects(), 0);
}

TEST_F(IdempotencyTest, KeyWithAnotherBodyIsRefused) {
  Send("k1", "{}");
  const auto other = Send("k1", R"({"a":1})");
  EXPECT_EQ(other.status, 422);
  EXPECT_THAT(other.body, HasSubstr("idempotency-mismatch"));
  EXPECT_EQ(toy_.effects(), 1);
}

TEST_F(IdempotencyTest, RefusedRequestRunsAgainAndMayChangeItsBody) {
  EXPECT_EQ(Send("k1", R"({"refuse":1})").status, 409);
  const auto again = Send("k1", R"({"refuse":1})");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.Header("Idempotent-Replayed"), "");
  EXPECT_EQ(toy_.effects(), 2);
  EXPECT_EQ(Send("k1", "{}").status, 201);
}

TEST_F(IdempotencyTest, FailedRequestRunsAgain) {
  EXPECT_EQ(Send("k1", R"({"fail":1})").status, 500);
  EXPECT_EQ(Send("k1", R"({"fail":1})").status, 500);
  EXPECT_EQ(toy_.effects(), 2);
}

TEST_F(IdempotencyTest, CallersWithTheSameKeyAreKeptApart) {
  Send("k1", R"({"userId":"one"})", "");
  Send("k1", R"({"userId":"two"})", "");
  Send("k1", "{}", "X-User-Id: three\r\n");
  Send("k1", "{}", "X-User-Id: four\r\n");
  Send("k1", "{}", QueueToken("four"));
  Send("k1", "{}", QueueToken("five"));
  Send("k1", "{}", "X-User-Id: four\r\n" + QueueToken("four"));
  EXPECT_EQ(toy_.effects(), 7);
  EXPECT_EQ(Send("k1", R"({"userId":"one"})", "").Header("Idempotent-Replayed"), "true");
  EXPECT_EQ(Send("k1", "{}", QueueToken("five")).Header("Idempotent-Replayed"), "true");
}

TEST_F(IdempotencyTest, RequestWithoutAVerifiedCallerIsRefusedAndTakesNoKey) {
  const auto forged = Send("k1", "{}", "X-Queue-Token: bm9uc2Vuc2U.bm9uc2Vuc2U\r\n");
  EXPECT_EQ(forged.status, 401);
  EXPECT_THAT(forged.body, HasSubstr("token-invalid"));
  const auto unnamed = Send("k1", "{}", "");
  EXPECT_EQ(unnamed.status, 401);
  EXPECT_THAT(unnamed.body, HasSubstr("needs a user or X-Queue-Token"));
  EXPECT_EQ(toy_.effects(), 0);
  EXPECT_EQ(Send("k1", "{}", QueueToken("ann")).Header("Idempotent-Replayed"), "");
  EXPECT_EQ(toy_.effects(), 1);
}

TEST_F(IdempotencyTest, KeyIsPrintableAndNotTooLong) {
  EXPECT_EQ(Send(std::string(255, 'k'), "{}").status, 201);
  for (const auto& key :
       {std::string(), std::string(256, 'k'), std::string("two words"), std::string("\xEB\xA7\xA4")}) {
    const auto refused = Send(key, "{}");
    EXPECT_EQ(refused.status, 400) << key;
    EXPECT_THAT(refused.body, HasSubstr(R"("field":"Idempotency-Key")"));
  }
  EXPECT_EQ(toy_.effects(), 1);
}

}  // namespace
}  // namespace maejin::http
