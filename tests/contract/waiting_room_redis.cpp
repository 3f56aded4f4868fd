#include <optional>

#include "adapters/redis/waiting_room_store.h"
#include "tests/contract/waiting_room_contract.h"
#include "tests/support/redis_server.h"

namespace maejin::redis {
namespace {

class RedisWaitingRoomBed final : public WaitingRoomBed {
 public:
  explicit RedisWaitingRoomBed(std::string url) : url_(std::move(url)) { Start(); }
  ~RedisWaitingRoomBed() override { Stop(); }
  maejin::WaitingRoomStore& store() override { return *store_; }
  void Restart(Time) override {
    Stop();
    Start();
  }

 private:
  void Start() {
    client_.emplace(ParseAddress(url_).value());
    store_.emplace(*client_, random_, WaitingRoomStoreOptions{});
  }
  void Stop() {
    store_.reset();
    client_.reset();
  }

  std::string url_;
  SeededRandom random_{7};
  std::optional<Client> client_;
  std::optional<WaitingRoomStore> store_;
};

std::unique_ptr<WaitingRoomBed> OnOneServer() {
  test::SharedRedis().Cli("FLUSHALL");
  return std::make_unique<RedisWaitingRoomBed>(test::SharedRedis().Url());
}

std::unique_ptr<WaitingRoomBed> OnACluster() {
  for (std::size_t i = 0; i < 3; ++i) test::SharedRedisCluster().node(i).Cli("FLUSHALL");
  return std::make_unique<RedisWaitingRoomBed>(test::SharedRedisCluster().Url());
}

}  // namespace
}  // namespace maejin::redis

namespace maejin {

INSTANTIATE_TEST_SUITE_P(
    Redis, WaitingRoomContract,
    testing::Values(WaitingRoomBedFactory{"OneServer", [](Time) { return redis::OnOneServer(); }},
                    WaitingRoomBedFactory{"Cluster", [](Time) { return redis::OnACluster(); }}),
    [](const auto& bed) { return bed.param.name; });

}  // namespace maejin
