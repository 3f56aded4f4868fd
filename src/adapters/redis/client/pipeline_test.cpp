#include "adapters/redis/client/pipeline.h"

#include <gtest/gtest.h>

namespace maejin::redis {
namespace {

using namespace std::chrono_literals;

struct Note : Pipeline::Call {
  Note(std::vector<std::string>& into, std::string word) : notes(into), name(std::move(word)) {
    command.Word(name);
    deadline = Pipeline::Instant{} + 10s;
  }
  void Complete(CallResult result) override {
    if (result) {
      notes.push_back(name + "=" + result->text);
    } else {
      notes.push_back(name +
                      (result.error().kind == RedisError::Kind::kUnknown ? " unknown" : " unavailable"));
    }
    if (then) then();
  }
  std::vector<std::string>& notes;
  std::string name;
  std::function<void()> then;
};

class PipelineTest : public testing::Test {
 protected:
  Note& Submit(std::string word) {
    auto note = std::make_unique<Note>(notes, std::move(word));
    auto& reference = *note;
    pipeline.Submit(std::move(note));
    return reference;
  }
  std::string Output() {
    std::string out;
    pipeline.TakeOutput(out);
    return out;
  }
  std::vector<std::string> notes;
  Pipeline pipeline;
};

TEST_F(PipelineTest, CommandsLeaveTogetherAndAnswersComeInOrder) {
  Submit("a");
  Submit("b");
  EXPECT_EQ(Output(), "*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n");
  EXPECT_TRUE(pipeline.Feed("+1\r\n+"));
  EXPECT_TRUE(pipeline.Feed("2\r\n"));
  EXPECT_EQ(notes, (std::vector<std::string>{"a=1", "b=2"}));
}

TEST_F(PipelineTest, AnAnswerMayCauseTheNextCommand) {
  Submit("a").then = [this] { Submit("b"); };
  Output();
  EXPECT_TRUE(pipeline.Feed("+1\r\n"));
  EXPECT_EQ(Output(), "*1\r\n$1\r\nb\r\n");
}

TEST_F(PipelineTest, AskingIsSaidBeforeAndItsAnswerIsDropped) {
  Submit("a").asking = true;
  EXPECT_EQ(Output(), "*1\r\n$6\r\nASKING\r\n*1\r\n$1\r\na\r\n");
  EXPECT_TRUE(pipeline.Feed("+OK\r\n+1\r\n"));
  EXPECT_EQ(notes, std::vector<std::string>{"a=1"});
}

TEST_F(PipelineTest, WhatWasSentIsUnknownAfterABreakAndWhatWaitsKeepsWaiting) {
  Submit("a");
  Output();
  Submit("b");
  pipeline.Disconnected("gone");
  EXPECT_EQ(notes, std::vector<std::string>{"a unknown"});
  EXPECT_EQ(Output(), "*1\r\n$1\r\nb\r\n");
  EXPECT_TRUE(pipeline.Feed("+2\r\n")) << "half a reply of the old connection is forgotten";
  EXPECT_EQ(notes.back(), "b=2");
}

TEST_F(PipelineTest, WaitingPastTheDeadlineIsRefusedAndSilenceIsNoticed) {
  Submit("a");
  EXPECT_FALSE(pipeline.Expire(Pipeline::Instant{} + 10s));
  EXPECT_EQ(notes, std::vector<std::string>{"a unavailable"});
  Submit("b");
  Output();
  EXPECT_FALSE(pipeline.Expire(Pipeline::Instant{} + 9s));
  EXPECT_TRUE(pipeline.Expire(Pipeline::Instant{} + 10s));
}

TEST_F(PipelineTest, AnAnswerNobodyAskedForIsAnError) { EXPECT_FALSE(pipeline.Feed("+1\r\n")); }

TEST_F(PipelineTest, TheQueueIsBounded) {
  for (std::size_t i = 0; i <= Pipeline::kMaxQueued; ++i) Submit("a");
  EXPECT_EQ(notes, std::vector<std::string>{"a unavailable"});
  pipeline.RefuseQueued("enough");
  EXPECT_EQ(notes.size(), Pipeline::kMaxQueued + 1);
}

}  // namespace
}  // namespace maejin::redis
