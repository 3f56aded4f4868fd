#include <fmt/format.h>

#include "base/json_text.h"
#include "cli/top/top_text.h"

namespace maejin::cli {
namespace {

void DecimalField(JsonWriter& json, std::string_view name, const std::optional<double>& value) {
  if (value) {
    json.Raw(name, fmt::format("{:.7g}", *value));
  } else {
    json.Null(name);
  }
}

// Writes one object per group of figures.
void WriteFigures(JsonWriter& json, const std::vector<Figure>& figures) {
  for (std::size_t i = 0; i < figures.size();) {
    const auto group = figures[i].group;
    json.Object(group, [&] {
      for (; i < figures.size() && figures[i].group == group; ++i)
        DecimalField(json, figures[i].name, figures[i].value);
    });
  }
}

void WriteTopRoom(JsonWriter& json, const TopRoom& shown) {
  const auto& room = shown.room;
  json.Object([&] {
    json.Field("eventId", room.id);
    json.OptionalField("title", shown.title.empty() ? std::nullopt : std::optional(shown.title));
    json.OptionalField("state", room.state.empty() ? std::nullopt : std::optional(room.state));
    json.Field("waiting", room.waiting);
    json.Field("entered", room.entered);
    json.Field("capacity", room.capacity);
    json.OptionalField("serving", room.serving);
    DecimalField(json, "admittedPerMinute", shown.admitted_per_minute);
  });
}

void WriteTopConcert(JsonWriter& json, const TopConcert& shown) {
  const auto& concert = shown.concert;
  json.Object([&] {
    json.Field("id", concert.id);
    json.Field("title", concert.title);
    json.Field("status", concert.status);
    json.Field("totalSeats", concert.total);
    json.Field("soldSeats", shown.sold);
    json.Field("heldSeats", concert.held);
    json.Field("availableSeats", concert.free);
    DecimalField(json, "soldPerMinute", shown.sold_per_minute);
  });
}

void WriteTopServer(JsonWriter& json, const TopView& view) {
  json.Field("ready", view.ready);
  json.Field("draining", view.draining);
  json.Object("checks", [&] {
    for (const auto& [name, fine] : view.checks) json.Field(name, fine);
  });
  if (!view.server) return json.Null("server");
  json.Object("server", [&] {
    json.Field("version", view.server->version);
    json.OptionalField("startedAt", view.server->started_at);
    json.Object("backEnds", [&] {
      for (const auto& [name, what] : view.server->back_ends) json.Field(name, what);
    });
  });
}

}  // namespace

std::string TopJson(const TopView& view) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("at", view.at);
    json.Field("url", view.url);
    json.Field("reachable", true);
    WriteTopServer(json, view);
    WriteFigures(json, view.figures);
    json.Array("rooms", [&] {
      for (const auto& room : view.rooms) WriteTopRoom(json, room);
    });
    json.Array("concerts", [&] {
      for (const auto& concert : view.concerts) WriteTopConcert(json, concert);
    });
    json.Array("notes", [&] {
      for (const auto& note : view.notes) json.Element(note);
    });
  });
}

std::string TopJson(const Outage& outage) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("at", outage.at);
    json.Field("url", outage.url);
    json.Field("reachable", false);
    json.Field("since", outage.since);
    json.Field("error", outage.sentence);
  });
}

}  // namespace maejin::cli
