#include "adapters/embedded/idempotency_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/embedded/database.h"
#include "base/run_task.h"

namespace maejin::embedded {
namespace {

using Kind = IdempotencyBegin::Kind;

class IdempotencyStoreTest : public testing::Test {
 protected:
  IdempotencyStoreTest() {
    std::filesystem::create_directories(folder_);
    Open();
  }
  ~IdempotencyStoreTest() override {
    store_.reset();
    journal_.reset();
    std::filesystem::remove_all(folder_);
  }
  void Open(std::size_t most_answers = 1000) {
    store_.reset();
    journal_.reset();
    journal_.emplace(OpenDatabase(path()));
    store_.emplace(*journal_, path(), now_, most_answers);
  }
  std::string path() const { return folder_ / "test.db"; }

  static IdempotentRequest Named(const std::string& key, const std::string& body = "body",
                                 const std::string& caller = "fan") {
    return {.id = Sha256(caller + key), .fingerprint = Sha256(body), .caller = Sha256(caller)};
  }
  static IdempotentRequest OfOperator(const std::string& key, const std::string& body = "body") {
    auto request = Named(key, body, "operator");
    request.quota = kKeysPerOperator;
    request.announced = true;
    return request;
  }
  std::int64_t Rows() {
    journal_->Flush();
    Connection reader(path(), Connection::Mode::kReadOnly);
    auto row = reader.Prepare("SELECT COUNT(*) FROM idempotency");
    row.Step();
    return row.Int(0);
  }
  Kind Begin(const IdempotentRequest& request) { return RunTask(store_->Begin(request, now_)).value().kind; }
  void Answer(const IdempotentRequest& request) {
    EXPECT_EQ(Begin(request), Kind::kNew);
    EXPECT_TRUE(RunTask(store_->Finish(request, {201, "Location: /x\r\n", "{}"})).ok());
  }

  Time now_ = TimeFromMillis(1'700'000'000'000);
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("maejin-idempotency-" + std::to_string(getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  std::optional<Journal> journal_;
  std::optional<EmbeddedIdempotencyStore> store_;
};

TEST_F(IdempotencyStoreTest, RepeatedRequestGetsTheFirstAnswer) {
  Answer(Named("a"));
  const auto again = RunTask(store_->Begin(Named("a"), now_));
  ASSERT_EQ(again->kind, Kind::kReplay);
  EXPECT_EQ(again->answer->status, 201);
  EXPECT_EQ(again->answer->extra_headers, "Location: /x\r\n");
  EXPECT_EQ(again->answer->body, "{}");
}

TEST_F(IdempotencyStoreTest, RunningRequestIsNotRunTwice) {
  EXPECT_EQ(Begin(Named("a")), Kind::kNew);
  EXPECT_EQ(Begin(Named("a")), Kind::kRunning);
  EXPECT_EQ(Begin(Named("b")), Kind::kNew);
}

TEST_F(IdempotencyStoreTest, KeyWithAnotherBodyIsAMismatch) {
  EXPECT_EQ(Begin(Named("a", "one")), Kind::kNew);
  EXPECT_EQ(Begin(Named("a", "two")), Kind::kMismatch);
}

TEST_F(IdempotencyStoreTest, AbandonedKeyMayBeUsedAgain) {
  EXPECT_EQ(Begin(Named("a")), Kind::kNew);
  store_->Abandon(Named("a"));
  EXPECT_EQ(Begin(Named("a", "other")), Kind::kNew);
}

TEST_F(IdempotencyStoreTest, AnswersSurviveARestartAndRunningRequestsDoNot) {
  Answer(Named("a"));
  EXPECT_EQ(Begin(Named("running")), Kind::kNew);
  Open();
  EXPECT_EQ(Begin(Named("a")), Kind::kReplay);
  EXPECT_EQ(Begin(Named("a", "other")), Kind::kMismatch);
  EXPECT_EQ(Begin(Named("running")), Kind::kNew);
}

TEST_F(IdempotencyStoreTest, InterruptedOperatorRequestIsNeverRunAgain) {
  const auto announced = OfOperator("a");
  EXPECT_EQ(Begin(announced), Kind::kNew);
  EXPECT_EQ(Begin(announced), Kind::kRunning);
  Open();
  EXPECT_EQ(Begin(announced), Kind::kInterrupted);
  EXPECT_EQ(Begin(OfOperator("a", "other")), Kind::kMismatch);
  Open();
  EXPECT_EQ(Begin(announced), Kind::kInterrupted) << "also the second time";
}

TEST_F(IdempotencyStoreTest, AnsweredAndAbandonedOperatorRequestsSurviveARestart) {
  const auto answered = OfOperator("a");
  Answer(answered);
  const auto abandoned = OfOperator("b");
  EXPECT_EQ(Begin(abandoned), Kind::kNew);
  store_->Abandon(abandoned);
  journal_->Flush();
  Open();
  EXPECT_EQ(Begin(answered), Kind::kReplay);
  EXPECT_EQ(Begin(abandoned), Kind::kNew);
}

TEST_F(IdempotencyStoreTest, EntriesEndAfterADay) {
  Answer(Named("a"));
  now_ += kIdempotencyKept - Millis{1};
  EXPECT_EQ(Begin(Named("a")), Kind::kReplay);
  now_ += Millis{1};
  EXPECT_EQ(Begin(Named("a")), Kind::kNew);
  journal_->Flush();
  now_ += kIdempotencyKept;
  Open();
  EXPECT_EQ(store_->size(), 0U);
}

TEST_F(IdempotencyStoreTest, OldestAnswersOfFansMakeRoomInMemoryAndOnDisk) {
  Open(3);
  for (int i = 0; i < 10; ++i) Answer(Named(std::to_string(i)));
  EXPECT_EQ(store_->size(), 3U);
  EXPECT_EQ(Rows(), 3);
  EXPECT_EQ(Begin(Named("9")), Kind::kReplay);
  EXPECT_EQ(Begin(Named("6")), Kind::kNew);
}

TEST_F(IdempotencyStoreTest, AbandonedRequestsEvictNothing) {
  Open(3);
  Answer(Named("kept"));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Begin(Named(std::to_string(i))), Kind::kNew);
    store_->Abandon(Named(std::to_string(i)));
  }
  EXPECT_EQ(Begin(Named("kept")), Kind::kReplay);
  EXPECT_EQ(Rows(), 1);
}

TEST_F(IdempotencyStoreTest, OperatorAnswerOutlivesAFloodOfFansAndARestart) {
  Open(3);
  Answer(OfOperator("a"));
  const auto flood = [this](const std::string& wave) {
    for (int i = 0; i < 50; ++i) Answer(Named(wave + std::to_string(i), "body", "fan " + std::to_string(i)));
  };
  flood("before");
  EXPECT_EQ(Begin(OfOperator("a")), Kind::kReplay);
  EXPECT_EQ(Begin(OfOperator("a", "other")), Kind::kMismatch);
  Open(3);
  flood("after");
  EXPECT_EQ(Begin(OfOperator("a")), Kind::kReplay);
  now_ += kIdempotencyKept;
  EXPECT_EQ(Begin(OfOperator("a")), Kind::kNew) << "its day is over";
}

TEST_F(IdempotencyStoreTest, CallerBeyondItsQuotaIsRefusedAndOthersAreNot) {
  auto limited = [](const std::string& key, const std::string& caller) {
    auto request = Named(key, "body", caller);
    request.quota = 3;
    return request;
  };
  for (const char* key : {"1", "2", "3"}) Answer(limited(key, "greedy"));
  const auto check = [&] {
    const auto refused = RunTask(store_->Begin(limited("4", "greedy"), now_));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error(), Refusal::kTooManyRequests);
    EXPECT_EQ(Begin(limited("2", "greedy")), Kind::kReplay) << "what it has is still answered";
    EXPECT_EQ(Begin(limited("4", "modest")), Kind::kNew);
    store_->Abandon(limited("4", "modest"));
  };
  check();
  Open();
  check();
  now_ += kIdempotencyKept;
  EXPECT_EQ(Begin(limited("4", "greedy")), Kind::kNew) << "the day of the others is over";
}

TEST_F(IdempotencyStoreTest, OperatorQuotaCountsAnsweredAndRunningButNotAbandoned) {
  auto limited = [](const std::string& key) {
    auto request = OfOperator(key);
    request.quota = 2;
    return request;
  };
  Answer(limited("1"));
  EXPECT_EQ(Begin(limited("2")), Kind::kNew);
  EXPECT_FALSE(RunTask(store_->Begin(limited("3"), now_)).ok());
  store_->Abandon(limited("2"));
  EXPECT_EQ(Begin(limited("3")), Kind::kNew);
}

// The announcement of an abandoned request is still on disk. The state in memory must take precedence.
TEST_F(IdempotencyStoreTest, AbandonedOperatorRequestMayRunAgainBeforeItsDeletionIsOnDisk) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Begin(OfOperator("a", std::to_string(i))), Kind::kNew);
    store_->Abandon(OfOperator("a", std::to_string(i)));
  }
  Answer(OfOperator("a", "last"));
  EXPECT_EQ(Begin(OfOperator("a", "last")), Kind::kReplay);
  journal_->Flush();
  EXPECT_EQ(Begin(Named("x")), Kind::kNew);
  EXPECT_EQ(Begin(OfOperator("a", "last")), Kind::kReplay) << "from disk";
}

TEST_F(IdempotencyStoreTest, ConcurrentOperatorRequestsOfOneKeyStartOnce) {
  for (int round = 0; round < 20; ++round) {
    const auto request = OfOperator(std::to_string(round));
    std::atomic<int> started{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int again = 0; again < 5; ++again) {
          if (Begin(request) != Kind::kNew) continue;
          ++started;
          EXPECT_TRUE(RunTask(store_->Finish(request, {201, "", "{}"})).ok());
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(started, 1);
    EXPECT_EQ(Begin(request), Kind::kReplay);
  }
}

}  // namespace
}  // namespace maejin::embedded
