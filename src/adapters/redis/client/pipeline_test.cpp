#include "adapters/redis/client/pipeline.h"

#include <gtest/gtest.h>

namespace maejin::redis {
namespace {

using namespace std::chrono_literals;

struct RecordingCall : Pipeline::Call {
  RecordingCall(std::vector<std::string>& into, std::string word) : results(into), name(std::move(word)) {
    command.Word(name);
    deadline = Pipeline::Instant{} + 10s;
  }
  void Complete(CallResult result) override {
    if (result) {
      results.push_back(name + "=" + result->text);
    } else {
      results.push_back(name +
                        (result.error().kind == RedisError::Kind::kUnknown ? " unknown" : " unavailable"));
    }
    if (then) then();
  }
  std::vector<std::string>& results;
  std::string name;
  std::function<void()> then;
};

class PipelineTest : public testing::Test {
 protected:
  RecordingCall& Submit(std::string word) {
    auto call = std::make_unique<RecordingCall>(results, std::move(word));
    auto& reference = *call;
    pipeline.Submit(std::move(call));
    return reference;
  }
  std::string Output() {
    std::string out;
    pipeline.TakeOutput(out);
    return out;
  }
  std::vector<std::string> results;
  Pipeline pipeline;
};

TEST_F(PipelineTest, CommandsLeaveTogetherAndAnswersComeInOrder) {
  Submit("a");
  Submit("b");
  EXPECT_EQ(Output(), "*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n");
  EXPECT_TRUE(pipeline.Feed("+1\r\n+"));
  EXPECT_TRUE(pipeline.Feed("2\r\n"));
  EXPECT_EQ(results, (std::vector<std::string>{"a=1", "b=2"}));
}

TEST_F(PipelineTest, ACompletionMaySubmitACommand) {
  Submit("a").then = [this] { Submit("b"); };
  Output();
  EXPECT_TRUE(pipeline.Feed("+1\r\n"));
  EXPECT_EQ(Output(), "*1\r\n$1\r\nb\r\n");
}

TEST_F(PipelineTest, AskingPrecedesTheCommandAndItsReplyIsDropped) {
  Submit("a").asking = true;
  EXPECT_EQ(Output(), "*1\r\n$6\r\nASKING\r\n*1\r\n$1\r\na\r\n");
  EXPECT_TRUE(pipeline.Feed("+OK\r\n+1\r\n"));
  EXPECT_EQ(results, std::vector<std::string>{"a=1"});
}

TEST_F(PipelineTest, DisconnectMakesSentCallsUnknownAndKeepsQueuedCalls) {
  Submit("a");
  Output();
  Submit("b");
  pipeline.Disconnected("gone");
  EXPECT_EQ(results, std::vector<std::string>{"a unknown"});
  EXPECT_EQ(Output(), "*1\r\n$1\r\nb\r\n");
  EXPECT_TRUE(pipeline.Feed("+2\r\n")) << "a partial reply of the old connection is dropped";
  EXPECT_EQ(results.back(), "b=2");
}

TEST_F(PipelineTest, ExpireRefusesQueuedCallsAndReportsAHangingPeer) {
  Submit("a");
  EXPECT_FALSE(pipeline.Expire(Pipeline::Instant{} + 10s));
  EXPECT_EQ(results, std::vector<std::string>{"a unavailable"});
  Submit("b");
  Output();
  EXPECT_FALSE(pipeline.Expire(Pipeline::Instant{} + 9s));
  EXPECT_TRUE(pipeline.Expire(Pipeline::Instant{} + 10s));
}

TEST_F(PipelineTest, AnUnexpectedReplyIsAnError) { EXPECT_FALSE(pipeline.Feed("+1\r\n")); }

TEST_F(PipelineTest, TheQueueIsBounded) {
  for (std::size_t i = 0; i <= Pipeline::kMaxQueued; ++i) Submit("a");
  EXPECT_EQ(results, std::vector<std::string>{"a unavailable"});
  pipeline.RefuseQueued("enough");
  EXPECT_EQ(results.size(), Pipeline::kMaxQueued + 1);
}

}  // namespace
}  // namespace maejin::redis
