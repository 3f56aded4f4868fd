#include "http/waiting_room/patch.h"

#include "base/url.h"
#include "domain/waiting_room/return_url.h"

namespace maejin::http {
namespace {

constexpr std::int64_t kDay = 86'400;

std::optional<std::uint32_t> Count(JsonObject& body, std::string_view name, IntRange range) {
  const auto number = body.OptionalInt(name, range);
  if (!number) return {};
  return static_cast<std::uint32_t>(*number);
}

std::optional<Seconds> Length(JsonObject& body, std::string_view name, std::int64_t most) {
  const auto number = body.OptionalInt(name, {.min = 1, .max = most});
  if (!number) return {};
  return Seconds{*number};
}

// A field that is present and null removes the limit or the time.
template <class T>
std::optional<std::optional<T>> Removable(const JsonObject& body, std::string_view name,
                                          std::optional<T> value) {
  if (!body.Has(name)) return {};
  return value;
}

// Accepts the read-only fields of a GET in a PUT, so that a client can send back what it read. They change
// nothing.
void IgnoreReadOnlyFields(JsonObject& body, std::string_view room) {
  const auto event = body.OptionalName("eventId");
  if (event && *event != room) body.Refuse("eventId", "must be the room of the path");
  const auto id = body.OptionalName("id");
  if (id && *id != room) body.Refuse("id", "must be the room of the path");
  for (const auto* name : {"epoch", "serving", "waiting", "entered", "bypassed", "lastNumber"})
    body.OptionalInt(name);
  body.OptionalInstant("bypassUntil");
}

void ReadFloating(JsonObject& body, RoomPatch& patch) {
  if (!body.Has("floating")) return;
  patch.floating.emplace();
  auto range = body.OptionalObject("floating");
  if (!range) return;
  Floating floating;
  floating.min_per_minute =
      static_cast<std::uint32_t>(range->Int("minPerMinute", {.min = 1, .max = 100'000'000}));
  floating.max_per_minute =
      static_cast<std::uint32_t>(range->Int("maxPerMinute", {.min = 1, .max = 100'000'000}));
  floating.health_url = range->Text("healthUrl", {.min = 1, .max = 500});
  if (!SplitRequestUrl(floating.health_url))
    range->Refuse("healthUrl", "must be an http or https address without user, password and fragment");
  range->Finish();
  if (floating.max_per_minute < floating.min_per_minute)
    body.Refuse("floating", "must have a maxPerMinute that is at least minPerMinute");
  *patch.floating = std::move(floating);
}

// Reads the settings for the site behind the room.
void ReadSite(JsonObject& body, RoomPatch& patch) {
  const auto title = body.OptionalText("title", {.max = 200});
  if (body.Has("title")) patch.title = title.value_or("");
  auto urls = body.Texts("returnUrls", {.min = 0, .max = kMaxReturnUrls}, {.min = 1, .max = 500});
  for (std::size_t i = 0; i < urls.size(); ++i) {
    if (!IsReturnUrl(urls[i])) {
      body.Refuse("returnUrls",
                  "must hold http or https addresses without query; [" + std::to_string(i) + "] is none");
    }
  }
  if (body.Has("returnUrls")) patch.return_urls = std::move(urls);
  if (const auto choice = body.OptionalChoice("visitors", {"users", "anonymous"}))
    patch.visitors = static_cast<Visitors>(*choice);
  if (const auto choice = body.OptionalChoice("verify", {"online", "offline"}))
    patch.verify = static_cast<Verification>(*choice);
  if (body.Has("standby")) {
    patch.standby.emplace();
    if (auto limits = body.OptionalObject("standby")) {
      *patch.standby = Standby{Count(*limits, "arrivalsPerMinute", {.min = 1, .max = 100'000'000}),
                               Count(*limits, "entered", {.min = 0, .max = 100'000'000})};
      limits->Finish();
    }
  }
  ReadFloating(body, patch);
}

}  // namespace

RoomPatch ReadRoomPatch(JsonObject& body, std::string_view room) {
  RoomPatch patch;
  IgnoreReadOnlyFields(body, room);
  patch.capacity = Count(body, "capacity", {.min = 0, .max = 100'000'000});
  if (const auto choice = body.OptionalChoice("admission", {"claim", "push"})) {
    patch.admission = *choice == 0 ? Admission::kClaim : Admission::kPush;
  }
  patch.rate_per_minute =
      Removable(body, "ratePerMinute", Count(body, "ratePerMinute", {.min = 1, .max = 100'000'000}));
  patch.token_ttl = Length(body, "tokenTtlSeconds", kDay);
  patch.session_limit = Length(body, "sessionLimitSeconds", 7 * kDay);
  patch.turn = Length(body, "turnSeconds", kDay);
  patch.grace = Length(body, "graceSeconds", 7 * kDay);
  if (const auto interval = body.OptionalInt("admitIntervalMs", {.min = 0, .max = 3'600'000})) {
    patch.admit_interval = Millis{*interval};
  }
  ReadSite(body, patch);
  patch.release_on_payment = body.OptionalBool("releaseOnPayment");
  patch.draining = body.OptionalBool("draining");
  // 0 and null: no limit.
  auto joins = Count(body, "joinsPerAddressPerMinute", {.min = 0, .max = 1'000'000});
  if (joins == 0U) joins.reset();
  patch.joins_per_address_per_minute = Removable(body, "joinsPerAddressPerMinute", joins);
  patch.pre_queue_at = Removable(body, "preQueueAt", body.OptionalInstant("preQueueAt"));
  patch.opens_at = Removable(body, "opensAt", body.OptionalInstant("opensAt"));
  patch.closes_at = Removable(body, "closesAt", body.OptionalInstant("closesAt"));
  if (const auto choice = body.OptionalChoice("order", {"draw", "arrival"}))
    patch.order = static_cast<PreQueueOrder>(*choice);
  const auto notice = body.OptionalText("notice", {.max = 500, .multiline = true});
  if (body.Has("notice")) patch.notice = notice.value_or("");
  const auto state = body.OptionalChoice("state", {"scheduled", "pre-queue", "open", "paused", "closed"});
  if (state) patch.state = static_cast<RoomState>(*state);
  return patch;
}

}  // namespace maejin::http
