#include "usecase/float_rooms.h"

#include "base/run_task.h"

namespace maejin {
namespace {

constexpr char kProbes[] = "maejin_room_probes_total";
constexpr char kProbesHelp[] = "Probes of sites behind floating rooms, by result.";
constexpr char kSteps[] = "maejin_room_float_steps_total";
constexpr char kStepsHelp[] = "Steps of floating rates, by change.";
// How long the metrics show a step. A node without a newer step does not step the room any more.
constexpr Millis kMeasured = 2 * kFloatEvery;

}  // namespace

FloatRooms::FloatRooms(WaitingRoomStore& store, SiteProbe& probe, const Clock& clock, Metrics& metrics)
    : store_(store),
      probe_(probe),
      clock_(clock),
      answered_(metrics.AddCounter(kProbes, kProbesHelp, {{"result", "answered"}})),
      failed_(metrics.AddCounter(kProbes, kProbesHelp, {{"result", "failed"}})),
      up_(metrics.AddCounter(kSteps, kStepsHelp, {{"change", "up"}})),
      down_(metrics.AddCounter(kSteps, kStepsHelp, {{"change", "down"}})),
      same_(metrics.AddCounter(kSteps, kStepsHelp, {{"change", "same"}})) {
  metrics.AddFamiliesOf([this] { return Measure(); });
}

void FloatRooms::Tick() {
  std::vector<Task<void>> steps;
  for (auto& room : store_.Rooms()) {
    const auto site = store_.sites().SiteAtOnce(room);
    if (site && site->floating) steps.push_back(StepRoom(std::move(room), site->floating->health_url));
  }
  if (!steps.empty()) RunTasks(std::move(steps));
}

// If the store does not answer, the rate stays, and a later tick tries again.
Task<void> FloatRooms::StepRoom(RoomId room, std::string health_url) {
  const auto lease = co_await store_.sites().TakeFloatLease(room, kFloatEvery, clock_.Now());
  if (!lease.ok() || !*lease) co_return;
  const auto before = co_await store_.Read(room, clock_.Now());
  if (!before.ok() || before->serving.state != RoomState::kOpen) co_return;
  const auto answer = co_await probe_.Get(std::move(health_url));
  RoomPatch patch;
  patch.float_load = LoadOf(answer);
  const Step step{0, *patch.float_load, clock_.Now()};
  const auto after = co_await store_.Configure(room, std::move(patch), "maejin", clock_.Now());
  if (!after.ok() || !after->settings.rate_per_minute) co_return;
  Count(room, answer, before->settings.rate_per_minute.value_or(0),
        {*after->settings.rate_per_minute, step.load, step.at});
}

void FloatRooms::Count(const RoomId& room, const ProbeAnswer& answer, std::uint32_t before, Step step) {
  (answer.status_code == 0 ? failed_ : answered_).Add();
  (step.rate > before ? up_ : step.rate < before ? down_ : same_).Add();
  const std::lock_guard lock(mutex_);
  steps_[room] = step;
  std::erase_if(steps_, [&](const auto& each) { return each.second.at + kMeasured < step.at; });
}

std::vector<MetricFamily> FloatRooms::Measure() const {
  MetricFamily rates{"maejin_room_floating_rate",
                     "Entries per minute of a floating room, on the node that stepped it last.",
                     MetricFamily::Type::kGauge,
                     {}};
  MetricFamily loads{"maejin_room_site_load",
                     "Load of the site behind a floating room in percent, on the node that probed it last.",
                     MetricFamily::Type::kGauge,
                     {}};
  const auto now = clock_.Now();
  const std::lock_guard lock(mutex_);
  for (const auto& [room, step] : steps_) {
    if (step.at + kMeasured < now) continue;
    rates.samples.push_back({{{"room", room}}, static_cast<double>(step.rate)});
    loads.samples.push_back({{{"room", room}}, static_cast<double>(step.load)});
  }
  if (rates.samples.empty()) return {};
  return {std::move(rates), std::move(loads)};
}

}  // namespace maejin
