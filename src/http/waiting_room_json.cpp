#include "http/waiting_room_json.h"

#include <charconv>

#include "base/json_writer.h"

namespace maejin::http {
namespace {

void AppendNumber(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void AppendField(std::string& out, std::string_view name, std::int64_t number) {
  out += name;
  AppendNumber(out, number);
}

void AppendRank(std::string& out, const Standing& standing) {
  if (!standing.rank) {
    out += R"(,"rank":null,"aheadCount":null,"position":null)";
    return;
  }
  const std::int64_t rank = *standing.rank;
  AppendField(out, R"(,"rank":)", rank);
  AppendField(out, R"(,"aheadCount":)", rank);
  AppendField(out, R"(,"position":)", standing.status == PlaceStatus::kEntered ? 0 : rank + 1);
}

void AppendEta(std::string& out, const std::optional<Eta>& eta) {
  if (!eta) {
    out += R"(,"eta":null)";
    return;
  }
  AppendField(out, R"(,"eta":{"p50Seconds":)", eta->p50_seconds);
  AppendField(out, R"(,"p90Seconds":)", eta->p90_seconds);
  out += '}';
}

std::string Hex(const ShuffleSeed& seed) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const auto byte : seed) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

void AppendPlace(const PlaceReport& report, std::string_view token, std::string& out) {
  const auto& standing = report.answer.standing;
  out += R"({"token":")";
  out += token;
  out += R"(","status":")";
  out += Name(standing.status);
  out += '"';
  AppendRank(out, standing);
  AppendField(out, R"(,"number":)", standing.number);
  AppendField(out, R"(,"pollAfterMs":)", standing.poll_after.count());
  AppendEta(out, standing.eta);
  if (report.outlook) {
    out += R"(,"outlook":")";
    out += Name(*report.outlook);
    out += R"(","notice":)";
  } else {
    out += R"(,"outlook":null,"notice":)";
  }
  if (report.answer.notice) {
    AppendJsonString(out, *report.answer.notice);
  } else {
    out += "null";
  }
  out += R"(,"state":")";
  out += Name(report.answer.state);
  out += R"(","expiresIn":)";
  if (report.expires_in) {
    AppendNumber(out, *report.expires_in);
  } else {
    out += "null";
  }
  out += '}';
}

void AppendServing(const Serving& serving, std::string& out) {
  AppendField(out, R"({"serving":)", serving.serving);
  AppendField(out, R"(,"waiting":)", serving.waiting);
  AppendField(out, R"(,"entered":)", serving.entered);
  AppendField(out, R"(,"capacity":)", serving.capacity);
  out += R"(,"state":")";
  out += Name(serving.state);
  out += R"("})";
}

void AppendRoom(const RoomInfo& room, std::string& out) {
  const auto& settings = room.settings;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("eventId", room.room);
    json.Field("state", Name(room.serving.state));
    json.Field("capacity", settings.capacity);
    json.Field("admission", Name(settings.admission));
    json.OptionalField("ratePerMinute", settings.rate_per_minute);
    json.Field("tokenTtlSeconds", settings.token_ttl.count());
    json.Field("sessionLimitSeconds", settings.session_limit.count());
    json.Field("turnSeconds", settings.turn.count());
    json.Field("graceSeconds", settings.grace.count());
    json.Field("admitIntervalMs", settings.admit_interval.count());
    json.Field("releaseOnPayment", settings.release_on_payment);
    json.Field("draining", settings.draining);
    json.OptionalField("joinsPerAddressPerMinute", settings.joins_per_address_per_minute);
    json.OptionalField("preQueueAt", settings.pre_queue_at);
    json.OptionalField("opensAt", settings.opens_at);
    json.OptionalField("closesAt", settings.closes_at);
    if (settings.notice.empty()) {
      json.Null("notice");
    } else {
      json.Field("notice", settings.notice);
    }
    json.Field("epoch", room.epoch);
    json.Field("serving", room.serving.serving);
    json.Field("waiting", room.serving.waiting);
    json.Field("entered", room.serving.entered);
    json.Field("lastNumber", room.last_number);
  });
}

void AppendShuffles(const RoomInfo& room, std::string& out) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("eventId", room.room);
    json.Field("algorithm", kShuffleAlgorithm);
    json.Array("shuffles", [&] {
      for (const auto& draw : room.draws) {
        json.Object([&] {
          json.Field("commitment", draw.commitment);
          json.Field("firstNumber", draw.first);
          if (!draw.drawn()) return;
          json.Field("count", draw.count);
          json.Field("seed", Hex(draw.seed));
          json.Field("orderSha256", draw.order_digest);
        });
      }
    });
  });
}

}  // namespace maejin::http
