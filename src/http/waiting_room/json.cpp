#include "http/waiting_room/json.h"

#include "base/draft.h"
#include "base/json_writer.h"

namespace maejin::http {
namespace {

void AddRank(Draft& out, const Standing& standing) {
  if (!standing.rank) {
    out << R"(,"rank":null,"aheadCount":null,"position":null)";
    return;
  }
  const std::int64_t rank = *standing.rank;
  out << R"(,"rank":)" << rank << R"(,"aheadCount":)" << rank;
  out << R"(,"position":)" << (standing.status == PlaceStatus::kEntered ? 0 : rank + 1);
}

void AddEta(Draft& out, const std::optional<Eta>& eta) {
  if (!eta) {
    out << R"(,"eta":null)";
    return;
  }
  out << R"(,"eta":{"p50Seconds":)" << eta->p50_seconds << R"(,"p90Seconds":)" << eta->p90_seconds << "}";
}

void AddOutlook(Draft& out, const std::optional<Outlook>& outlook) {
  if (outlook) {
    out << R"(,"outlook":")" << Name(*outlook) << R"(")";
  } else {
    out << R"(,"outlook":null)";
  }
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

void AppendPlace(const PlaceReport& report, std::string_view token, std::string& text) {
  const auto& standing = report.answer.standing;
  Draft out(text);
  out << R"({"token":")" << token << R"(","status":")" << Name(standing.status) << R"(")";
  AddRank(out, standing);
  out << R"(,"number":)" << std::int64_t{standing.number};
  out << R"(,"pollAfterMs":)" << std::int64_t{standing.poll_after.count()};
  AddEta(out, standing.eta);
  AddOutlook(out, report.outlook);
  if (report.answer.notice) {
    out << R"(,"notice":)";
    AppendJsonString(out.Flush(), *report.answer.notice);
  } else {
    out << R"(,"notice":null)";
  }
  out << R"(,"state":")" << Name(report.answer.state) << R"(")";
  if (report.ended == SaleEnd::kNone) {
    out << R"(,"ended":null)";
  } else {
    out << R"(,"ended":")" << Name(report.ended) << R"(")";
  }
  out << R"(,"expiresIn":)";
  if (report.expires_in) {
    out << *report.expires_in;
  } else {
    out << "null";
  }
  if (report.session_ends_in) out << R"(,"sessionEndsIn":)" << *report.session_ends_in;
  out << "}";
}

void AppendEntered(const Entered& entered, std::string_view return_url, std::string& text) {
  Draft out(text);
  out << R"({"status":"entered","token":")" << entered.token;
  out << R"(","expiresIn":)" << entered.report.expires_in.value_or(0);
  out << R"(,"sessionEndsIn":)" << entered.report.session_ends_in.value_or(0);
  out << R"(,"number":)" << std::int64_t{entered.report.answer.standing.number};
  if (entered.pass) out << R"(,"pass":")" << *entered.pass << R"(")";
  if (!return_url.empty()) {
    out << R"(,"returnUrl":)";
    AppendJsonString(out.Flush(), return_url);
  }
  out << "}";
}

void AppendServing(const Serving& serving, std::string& text) {
  Draft out(text);
  out << R"({"serving":)" << std::int64_t{serving.serving} << R"(,"waiting":)"
      << std::int64_t{serving.waiting};
  out << R"(,"entered":)" << std::int64_t{serving.entered} << R"(,"capacity":)"
      << std::int64_t{serving.capacity};
  out << R"(,"bypassed":)" << std::int64_t{serving.bypassed};
  out << R"(,"state":")" << Name(serving.state) << R"(","order":")" << Name(serving.order) << R"("})";
}

void AppendRoom(const RoomInfo& room, std::optional<Time> bypassed_until, std::string& out) {
  const auto& settings = room.settings;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("id", room.room);
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
    json.Field("order", Name(settings.order));
    if (settings.notice.empty()) {
      json.Null("notice");
    } else {
      json.Field("notice", settings.notice);
    }
    const auto& site = settings.site;
    if (site.title.empty()) {
      json.Null("title");
    } else {
      json.Field("title", site.title);
    }
    json.Array("returnUrls", [&] {
      for (const auto& url : site.return_urls) json.Element(url);
    });
    json.Field("visitors", Name(site.visitors));
    json.Field("verify", Name(site.verify));
    if (site.standby) {
      json.Object("standby", [&] {
        json.OptionalField("arrivalsPerMinute", site.standby->arrivals_per_minute);
        json.OptionalField("entered", site.standby->entered);
      });
    } else {
      json.Null("standby");
    }
    if (site.floating) {
      json.Object("floating", [&] {
        json.Field("minPerMinute", site.floating->min_per_minute);
        json.Field("maxPerMinute", site.floating->max_per_minute);
        json.Field("healthUrl", site.floating->health_url);
      });
    } else {
      json.Null("floating");
    }
    json.Field("epoch", room.epoch);
    json.Field("serving", room.serving.serving);
    json.Field("waiting", room.serving.waiting);
    json.Field("entered", room.serving.entered);
    json.Field("bypassed", room.serving.bypassed);
    json.OptionalField("bypassUntil", bypassed_until);
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
