#include "http/idempotency.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "base/run_task.h"
#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Post;
using ::testing::HasSubstr;

// The port kept in memory.
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

class IdempotencyTest : public ::testing::Test {
 protected:
  ::maejin::testing::RawResponse Send(const std::string& key, const std::string& body,
                                      const std::string& more = "") {
    return toy_.Ask(Post("/effects", body, "Idempotency-Key: " + key + "\r\n" + more));
  }

  MemoryStore store_;
  SystemClock clock_;
  AnswerOnce answers_{store_, clock_};
  std::unique_ptr<Identity> identity_ = MakeTrustedIdentity();
  Idempotency idempotency_{answers_, *identity_};
  ToyServer toy_{{}, &idempotency_};
};

TEST_F(IdempotencyTest, TheSameKeyAndBodyHaveOneEffectAndOneAnswer) {
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

TEST_F(IdempotencyTest, WithoutAKeyEveryRequestHasItsEffect) {
  toy_.Ask(Post("/effects", "{}"));
  toy_.Ask(Post("/effects", "{}"));
  EXPECT_EQ(toy_.effects(), 2);
}

TEST_F(IdempotencyTest, ASecondRequestDoesNotRunBesideTheFirst) {
  // Ten at once, on one key: one effect; the others are told to wait, or get its answer.
  std::vector<::maejin::testing::RawClient> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(toy_.Connect());
  for (auto& client : clients) client.Send(Post("/effects", "{}", "Idempotency-Key: k1\r\n"));
  for (auto& client : clients) {
    const auto response = client.Receive();
    ASSERT_TRUE(response);
    EXPECT_TRUE(response->status == 201 || response->status == 409) << response->status;
  }
  EXPECT_EQ(toy_.effects(), 1);
}

TEST_F(IdempotencyTest, AKeyWhoseFirstRequestStillRunsIsRefused) {
  const auto body = std::string("{}");
  const std::string caller = "client 127.0.0.1";
  // As Idempotency names it; begun here and never finished.
  const auto path = std::string("/effects");
  const auto name = std::to_string(caller.size()) + ' ' + caller + ' ' +
                    std::to_string(static_cast<int>(Method::kPost)) + ' ' + std::to_string(path.size()) +
                    ' ' + path + " k1";
  EXPECT_TRUE(RunTask(store_.Begin({Sha256(name), Sha256(body)}, clock_.Now())).ok());
  const auto refused = Send("k1", body);
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("idempotency-running"));
  EXPECT_NE(refused.Header("Retry-After"), "");
  EXPECT_EQ(toy_.effects(), 0);
}

TEST_F(IdempotencyTest, AnotherBodyIsRefused) {
  Send("k1", "{}");
  const auto other = Send("k1", R"({"a":1})");
  EXPECT_EQ(other.status, 422);
  EXPECT_THAT(other.body, HasSubstr("idempotency-mismatch"));
  EXPECT_EQ(toy_.effects(), 1);
}

TEST_F(IdempotencyTest, ARefusalIsRepeatedToo) {
  const auto first = Send("k1", R"({"refuse":1})");
  const auto again = Send("k1", R"({"refuse":1})");
  EXPECT_EQ(first.status, 409);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.Header("Content-Type"), "application/problem+json");
  EXPECT_EQ(again.Header("Idempotent-Replayed"), "true");
  EXPECT_EQ(toy_.effects(), 1);
}

TEST_F(IdempotencyTest, AFailureIsNotKept) {
  EXPECT_EQ(Send("k1", R"({"fail":1})").status, 500);
  EXPECT_EQ(Send("k1", R"({"fail":1})").status, 500);
  EXPECT_EQ(toy_.effects(), 2);
}

TEST_F(IdempotencyTest, TwoUsersMayChooseTheSameKey) {
  Send("k1", R"({"userId":"one"})");
  Send("k1", R"({"userId":"two"})");
  Send("k1", "{}", "X-User-Id: three\r\n");
  Send("k1", "{}", "X-User-Id: four\r\n");
  EXPECT_EQ(toy_.effects(), 4);
  EXPECT_EQ(Send("k1", R"({"userId":"one"})").Header("Idempotent-Replayed"), "true");
}

TEST_F(IdempotencyTest, AKeyIsPrintableAndNotTooLong) {
  EXPECT_EQ(Send(std::string(255, 'k'), "{}").status, 201);
  for (const auto& key : {std::string(256, 'k'), std::string("two words"), std::string("\xEB\xA7\xA4")}) {
    const auto refused = Send(key, "{}");
    EXPECT_EQ(refused.status, 400) << key;
    EXPECT_THAT(refused.body, HasSubstr(R"("field":"Idempotency-Key")"));
  }
  EXPECT_EQ(toy_.effects(), 1);
}

}  // namespace
}  // namespace maejin::http
