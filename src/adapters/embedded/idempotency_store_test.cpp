#include "adapters/embedded/idempotency_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

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
  void Open(std::size_t most_entries = 1000) {
    store_.reset();
    journal_.reset();
    journal_.emplace(OpenDatabase(path()));
    store_.emplace(*journal_, path(), now_, most_entries);
  }
  std::string path() const { return folder_ / "test.db"; }

  static IdempotentRequest Named(const std::string& key, const std::string& body = "body") {
    return {Sha256(key), Sha256(body)};
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

TEST_F(IdempotencyStoreTest, TheSecondRequestGetsTheFirstOnesAnswer) {
  Answer(Named("a"));
  const auto again = RunTask(store_->Begin(Named("a"), now_));
  ASSERT_EQ(again->kind, Kind::kReplay);
  EXPECT_EQ(again->answer->status, 201);
  EXPECT_EQ(again->answer->extra_headers, "Location: /x\r\n");
  EXPECT_EQ(again->answer->body, "{}");
}

TEST_F(IdempotencyStoreTest, ARequestStillRunningIsNotRunTwice) {
  EXPECT_EQ(Begin(Named("a")), Kind::kNew);
  EXPECT_EQ(Begin(Named("a")), Kind::kRunning);
  EXPECT_EQ(Begin(Named("b")), Kind::kNew);
}

TEST_F(IdempotencyStoreTest, AnotherBodyUnderTheSameKeyIsAMismatch) {
  EXPECT_EQ(Begin(Named("a", "one")), Kind::kNew);
  EXPECT_EQ(Begin(Named("a", "two")), Kind::kMismatch);
}

TEST_F(IdempotencyStoreTest, AnAbandonedKeyMayBeUsedAgain) {
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

TEST_F(IdempotencyStoreTest, AnAnnouncedRequestThatWasRunningIsNeverRunAgain) {
  auto announced = Named("a");
  announced.announced = true;
  EXPECT_EQ(Begin(announced), Kind::kNew);
  EXPECT_EQ(Begin(announced), Kind::kRunning);
  Open();
  EXPECT_EQ(Begin(announced), Kind::kInterrupted);
  EXPECT_EQ(Begin(Named("a", "other")), Kind::kMismatch);
  Open();
  EXPECT_EQ(Begin(announced), Kind::kInterrupted) << "also the second time";
}

TEST_F(IdempotencyStoreTest, AnAnnouncedRequestThatIsAnsweredOrAbandonedIsAsAnyOther) {
  auto answered = Named("a");
  answered.announced = true;
  Answer(answered);
  auto abandoned = Named("b");
  abandoned.announced = true;
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

TEST_F(IdempotencyStoreTest, TheOldestMakeRoomForTheNewest) {
  Open(3);
  for (int i = 0; i < 10; ++i) Answer(Named(std::to_string(i)));
  EXPECT_LE(store_->size(), 4U);
  EXPECT_EQ(Begin(Named("9")), Kind::kReplay);
}

}  // namespace
}  // namespace maejin::embedded
