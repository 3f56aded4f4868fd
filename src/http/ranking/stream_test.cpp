#include "http/ranking/stream.h"

#include <gtest/gtest.h>

namespace maejin::http {
namespace {

const Time kNoon = *ParseTime("2026-01-02T12:00:00Z");

class Listener final : public EventStream {
 public:
  void Send(SharedText frame) override { frames.push_back(*frame); }
  void Close() override { gone = true; }
  bool closed() const override { return gone; }

  // The ids of the received events.
  std::vector<int> Ids() const {
    std::vector<int> ids;
    for (const auto& frame : frames) {
      if (frame.starts_with("id: ")) ids.push_back(std::atoi(frame.c_str() + 4));
    }
    return ids;
  }

  std::vector<std::string> frames;
  bool gone = false;
};

class OneHeader final : public Headers {
 public:
  explicit OneHeader(std::string last_event_id) : value_(std::move(last_event_id)) {}
  std::string_view Find(std::string_view name) const override {
    return name == "Last-Event-ID" ? std::string_view(value_) : std::string_view();
  }

 private:
  std::string value_;
};

std::shared_ptr<Listener> Listen(RankingStream& stream, const std::string& last_event_id = "") {
  const OneHeader headers(last_event_id);
  Request request;
  request.headers = &headers;
  auto listener = std::make_shared<Listener>();
  EXPECT_TRUE(stream.Listen(request, listener).ok());
  return listener;
}

void Announce(RankingStream& stream, int count) {
  RankedConcert concert;
  concert.title = "제목";
  concert.booking_open_at = kNoon;
  concert.sold_out_at = kNoon + Millis{100};
  for (int i = 0; i < count; ++i) {
    concert.concert = i + 1;
    stream.Announce({concert, {}});
  }
}

TEST(RankingStream, EveryListenerGetsEverySellOut) {
  RankingStream stream;
  const auto early = Listen(stream);
  Announce(stream, 2);
  const auto late = Listen(stream);
  Announce(stream, 1);
  EXPECT_EQ(early->Ids(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(late->Ids(), (std::vector<int>{3}));
  EXPECT_NE(early->frames[1].find("event: soldout\ndata: {\"kind\":\"concert\""), std::string::npos);
  EXPECT_TRUE(early->frames[1].ends_with("\n\n"));
}

TEST(RankingStream, ReconnectingListenerGetsMissedEventsOnce) {
  RankingStream stream;
  Announce(stream, 5);
  EXPECT_EQ(Listen(stream, "3")->Ids(), (std::vector<int>{4, 5}));
  EXPECT_TRUE(Listen(stream, "5")->Ids().empty());
  const auto listener = Listen(stream, "4");
  Announce(stream, 1);
  EXPECT_EQ(listener->Ids(), (std::vector<int>{5, 6}));
}

TEST(RankingStream, ListenerThatReconnectsAfterARestartGetsEventsSince) {
  RankingStream before(1000);
  Announce(before, 2);
  RankingStream after(2000);
  Announce(after, 2);
  EXPECT_EQ(Listen(after, "1002")->Ids(), (std::vector{2001, 2002}));
  EXPECT_EQ(Listen(after, "0")->Ids(), (std::vector{2001, 2002}));
  EXPECT_EQ(Listen(after)->Ids(), std::vector<int>{}) << "who never listened has missed nothing";
}

TEST(RankingStream, UnknownLastEventIdGetsNoPastEvents) {
  RankingStream stream;
  Announce(stream, 5);
  for (const auto* id : {"6", "-1", "x", "99999999999999999999999"}) {
    EXPECT_TRUE(Listen(stream, id)->Ids().empty()) << id;
  }
}

TEST(RankingStream, KeepsTheLast256Events) {
  RankingStream stream;
  Announce(stream, 300);
  const auto ids = Listen(stream, "1")->Ids();
  ASSERT_EQ(ids.size(), 256U);
  EXPECT_EQ(ids.front(), 45);
  EXPECT_EQ(ids.back(), 300);
}

TEST(RankingStream, ProgressEventIsSentOnceASecondAndOnlyAfterAChange) {
  RankingStream stream;
  const auto listener = Listen(stream);
  stream.Tick(kNoon, 1);
  stream.Tick(kNoon + Millis{999}, 2);
  EXPECT_EQ(listener->frames.size(), 2U);  // the hello frame, and one event
  stream.Tick(kNoon + Seconds{1}, 2);
  stream.Tick(kNoon + Seconds{2}, 2);
  ASSERT_EQ(listener->frames.size(), 3U);
  EXPECT_EQ(listener->frames[2], "event: progress\ndata: {\"version\":2}\n\n");
}

TEST(RankingStream, ClosedListenersAreDropped) {
  RankingStream stream;
  const auto listener = Listen(stream);
  EXPECT_EQ(stream.listeners(), 1U);
  listener->Close();
  Announce(stream, 1);
  EXPECT_EQ(stream.listeners(), 0U);
  EXPECT_TRUE(listener->Ids().empty());
}

}  // namespace
}  // namespace maejin::http
