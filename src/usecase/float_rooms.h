// Floats the rates of rooms by the health of their sites: probes each site, and lets the store step the rate.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/site_probe.h"
#include "store/waiting_room_store.h"

namespace maejin {

class FloatRooms {
 public:
  // The references outlive it. `metrics` calls this object at every scrape, so no scrape may follow its end.
  FloatRooms(WaitingRoomStore& store, SiteProbe& probe, const Clock& clock, Metrics& metrics);

  // Steps the rooms that float and are due. Of nodes that share a room, one steps it, once in kFloatEvery. A
  // room that is not open keeps its rate. Call about once a second, on one thread. Blocks on the store and on
  // the probes, which run at the same time.
  void Tick();

 private:
  // The last step of a room on this node.
  struct Step {
    std::uint32_t rate = 0;
    SiteLoad load = 0;
    Time at{};
  };

  Task<void> StepRoom(RoomId room, std::string health_url);
  void Count(const RoomId& room, const ProbeAnswer& answer, std::uint32_t before, Step step);
  std::vector<MetricFamily> Measure() const;

  WaitingRoomStore& store_;
  SiteProbe& probe_;
  const Clock& clock_;
  Counter& answered_;
  Counter& failed_;
  Counter& up_;
  Counter& down_;
  Counter& same_;
  mutable std::mutex mutex_;
  std::map<RoomId, Step> steps_;  // guarded by mutex_
};

}  // namespace maejin
