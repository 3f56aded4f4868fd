#include "adapters/redis/waiting_room/room_record.h"

#include <charconv>

#include "base/numbers.h"

namespace maejin::redis {
namespace {

// The run id of a room that is created again: it must be recovered first.
constexpr char kNoServer[] = "-";
constexpr char kServerWord[] = "server ";
constexpr char kPhasesWord[] = "phases ";

constexpr char kHex[] = "0123456789abcdef";

std::string Text(const std::optional<std::uint32_t>& number) { return number ? std::to_string(*number) : ""; }
std::string Text(const std::optional<Time>& time) { return time ? std::to_string(ToMillis(*time)) : ""; }

// The time at which a phase is due, or 0.
std::int64_t NextPhaseAt(const RoomSettings& settings, RoomState state) {
  std::int64_t next = 0;
  const auto consider = [&](bool applies, const std::optional<Time>& at) {
    if (applies && at && (next == 0 || ToMillis(*at) < next)) next = ToMillis(*at);
  };
  consider(state == RoomState::kScheduled, settings.pre_queue_at);
  consider(state == RoomState::kScheduled || state == RoomState::kPreQueue, settings.opens_at);
  consider(state != RoomState::kClosed, settings.closes_at);
  return next;
}

using FieldMap = ReadReply::Texts;

std::int64_t Number(const FieldMap& fields, std::string_view name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return 0;
  double number = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return static_cast<std::int64_t>(number);
}

bool Has(const FieldMap& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found != fields.end() && !found->second.empty();
}

std::optional<std::uint32_t> OptionalCount(const FieldMap& fields, std::string_view name) {
  if (!Has(fields, name)) return {};
  return static_cast<std::uint32_t>(Number(fields, name));
}

std::optional<Time> OptionalTime(const FieldMap& fields, std::string_view name) {
  if (!Has(fields, name)) return {};
  return TimeFromMillis(Number(fields, name));
}

Seconds SecondsOf(const FieldMap& fields, std::string_view name) {
  return Seconds{Number(fields, name) / 1000};
}

RoomSettings SettingsOf(const FieldMap& fields) {
  RoomSettings settings;
  settings.capacity = static_cast<std::uint32_t>(Number(fields, "capacity"));
  const auto admission = fields.find("admission");
  if (admission != fields.end())
    settings.admission = ParseAdmission(admission->second).value_or(Admission::kClaim);
  settings.rate_per_minute = OptionalCount(fields, "rate_per_minute");
  settings.token_ttl = SecondsOf(fields, "token_ttl_ms");
  settings.session_limit = SecondsOf(fields, "session_limit_ms");
  settings.turn = SecondsOf(fields, "turn_ms");
  settings.grace = SecondsOf(fields, "grace_ms");
  settings.admit_interval = Millis{Number(fields, "admit_interval_ms")};
  settings.release_on_payment = Number(fields, "release_on_payment") != 0;
  settings.draining = Number(fields, "draining") != 0;
  settings.joins_per_address_per_minute = OptionalCount(fields, "joins_per_address_per_minute");
  settings.pre_queue_at = OptionalTime(fields, "pre_queue_at");
  settings.opens_at = OptionalTime(fields, "opens_at");
  settings.closes_at = OptionalTime(fields, "closes_at");
  if (const auto order = fields.find("order"); order != fields.end())
    settings.order = ParsePreQueueOrder(order->second).value_or(PreQueueOrder::kDraw);
  settings.followed = Number(fields, "followed");
  settings.ended = Number(fields, "ended") != 0;
  const auto text = [&](std::string_view name) -> std::string {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  settings.site = {text("title"),
                   SplitLines(text("return_urls")),
                   ParseVisitors(text("visitors")).value_or(Visitors::kUsers),
                   ParseVerify(text("verify")).value_or(Verification::kOnline),
                   ParseStandby(text("standby")),
                   ParseFloating(text("floating"))};
  const auto notice = fields.find("notice");
  if (notice != fields.end()) settings.notice = notice->second;
  return settings;
}

std::string_view NextWord(std::string_view& text) {
  const auto space = text.find(' ');
  const auto word = text.substr(0, space);
  text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  return word;
}

std::uint32_t ParseCount(std::string_view digits) {
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

int HexDigit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// What follows `word` in the last line that begins with it.
std::string LastLineOf(std::string_view text, std::string_view word) {
  const auto at = text.rfind("\n" + std::string(word));
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + 1 + word.size());
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

Fields SettingsFields(const RoomSettings& settings, RoomState state) {
  const auto millis = [](Millis length) { return std::to_string(length.count()); };
  return {{"state", std::string(Name(state))},
          {"phase_at", std::to_string(NextPhaseAt(settings, state))},
          {"capacity", std::to_string(settings.capacity)},
          {"admission", std::string(Name(settings.admission))},
          {"rate_per_minute", Text(settings.rate_per_minute)},
          {"token_ttl_ms", millis(settings.token_ttl)},
          {"session_limit_ms", millis(settings.session_limit)},
          {"turn_ms", millis(settings.turn)},
          {"grace_ms", millis(settings.grace)},
          {"admit_interval_ms", millis(settings.admit_interval)},
          {"release_on_payment", settings.release_on_payment ? "1" : "0"},
          {"draining", settings.draining ? "1" : "0"},
          {"joins_per_address_per_minute", Text(settings.joins_per_address_per_minute)},
          {"pre_queue_at", Text(settings.pre_queue_at)},
          {"opens_at", Text(settings.opens_at)},
          {"closes_at", Text(settings.closes_at)},
          {"order", std::string(Name(settings.order))},
          {"followed", std::to_string(settings.followed)},
          {"ended", settings.ended ? "1" : "0"},
          {"title", settings.site.title},
          {"return_urls", JoinLines(settings.site.return_urls)},
          {"visitors", std::string(Name(settings.site.visitors))},
          {"verify", std::string(Name(settings.site.verify))},
          {"standby", StandbyText(settings.site.standby)},
          {"floating", FloatingText(settings.site.floating)},
          {"notice", settings.notice}};
}

Fields NewRoomFields(const RoomBeginning& beginning) {
  auto fields = SettingsFields(beginning.settings, beginning.state);
  const auto number = [](std::integral auto value) { return std::to_string(value); };
  fields.insert(fields.end(), {{"epoch", number(beginning.epoch)},
                               {"version", number(beginning.version)},
                               {"phases", number(beginning.phases)},
                               {"last_number", number(beginning.last_number)},
                               {"serving", "0"},
                               {"clock", "0"},
                               {"floor", "0"},
                               {"credit", "60000"},
                               {"credit_at", "0"},
                               {"no_shows", "0"},
                               {"next_fill_at", "0"},
                               {"hold_until", "0"},
                               {"draw_first", "0"},
                               {"changes", "0"},
                               {"lost_at", "0"},
                               {"lost_number", "0"}});
  if (beginning.lost) fields.emplace_back("server", kNoServer);
  return fields;
}

std::string SavedText(const RoomInfo& info, SavedExtras extras) {
  std::string text;
  for (const auto& [name, value] : SettingsFields(info.settings, info.serving.state)) {
    text += name + " ";
    // A notice may contain line breaks.
    for (const char c : value) text += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
    text += "\n";
  }
  for (const auto& draw : info.draws) text += "draw " + DrawText(draw) + "\n";
  text += kPhasesWord + std::to_string(extras.phases) + "\n";
  return text + kServerWord + std::string(extras.server) + "\n";
}

std::string SavedServer(std::string_view text) { return LastLineOf(text, kServerWord); }

std::int64_t SavedPhases(std::string_view text) {
  return ParseInt<std::int64_t>(LastLineOf(text, kPhasesWord)).value_or(0);
}

std::optional<RoomInfo> ParseSavedText(RoomId room, std::string_view text) {
  RoomInfo info;
  info.room = std::move(room);
  FieldMap fields;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto name = NextWord(line);
    if (name == "draw") {
      if (auto draw = ParseDraw(line)) info.draws.push_back(std::move(*draw));
      continue;
    }
    auto& value = fields[std::string(name)];
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool escaped = line[i] == '\\' && i + 1 < line.size();
      if (escaped) ++i;
      value += escaped && line[i] == 'n' ? '\n' : line[i];
    }
  }
  const auto state = fields.find("state");
  if (state == fields.end()) return {};
  info.settings = SettingsOf(fields);
  info.serving.state = ParseRoomState(state->second).value_or(RoomState::kPaused);
  return info;
}

RoomState PhaseAt(const RoomSettings& settings, RoomState state, Time now) {
  const auto due = [now](const std::optional<Time>& at) { return at && *at <= now; };
  if (state != RoomState::kClosed && due(settings.closes_at)) {
    // A pre-queue that closes is drawn first.
    return RoomState::kClosed;
  }
  const bool before_opening = state == RoomState::kScheduled || state == RoomState::kPreQueue;
  if (before_opening && due(settings.opens_at)) return RoomState::kOpen;
  if (state == RoomState::kScheduled && due(settings.pre_queue_at)) return RoomState::kPreQueue;
  return state;
}

RoomRecord RecordOf(RoomId room, ReadReply reply) {
  const auto& fields = reply.fields;
  const auto state = fields.find("state");
  RoomRecord record;
  record.version = Number(fields, "version");
  record.phases = Number(fields, "phases");
  auto& info = record.info;
  info.room = std::move(room);
  info.epoch = static_cast<std::uint32_t>(Number(fields, "epoch"));
  info.settings = SettingsOf(fields);
  if (const auto server = fields.find("server"); server != fields.end()) record.server = server->second;
  record.lost_at = TimeFromMillis(Number(fields, "lost_at"));
  record.lost_number = static_cast<PlaceNumber>(Number(fields, "lost_number"));
  record.changes = static_cast<std::uint32_t>(Number(fields, "changes"));
  record.line_sum = static_cast<std::uint32_t>(Number(fields, "line_sum"));
  record.before_range = static_cast<std::uint32_t>(Number(fields, "before_range"));
  record.nodes = static_cast<std::uint32_t>(Number(fields, "nodes"));
  record.merged = static_cast<std::uint32_t>(Number(fields, "merged"));
  record.line = std::move(reply.line);
  record.skips = std::move(reply.skips);
  record.before = std::move(reply.before);
  info.last_number = static_cast<PlaceNumber>(Number(fields, "last_number"));
  for (const auto& text : reply.draws) {
    if (auto draw = ParseDraw(text)) info.draws.push_back(std::move(*draw));
  }
  info.serving.serving = static_cast<PlaceNumber>(Number(fields, "serving"));
  info.serving.waiting = reply.waiting;
  info.serving.entered = reply.inside;
  info.serving.capacity = info.settings.capacity;
  info.serving.order = info.settings.order;
  info.serving.state =
      state == fields.end() ? RoomState::kPaused : ParseRoomState(state->second).value_or(RoomState::kPaused);
  for (const auto& [step, entries] : reply.flow) {
    record.entries[static_cast<std::int64_t>(std::strtoll(step.c_str(), nullptr, 10))] =
        static_cast<std::int64_t>(std::strtoll(entries.c_str(), nullptr, 10));
  }
  return record;
}

std::string DrawText(const Draw& draw) {
  auto text = std::to_string(draw.first) + " " + std::to_string(draw.count) + " ";
  for (const auto byte : draw.seed) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text + " " + (draw.drawn() ? draw.order_digest : "-");
}

std::optional<Draw> ParseDraw(std::string_view text) {
  Draw draw;
  draw.first = ParseCount(NextWord(text));
  draw.count = ParseCount(NextWord(text));
  const auto seed = NextWord(text);
  if (seed.size() != draw.seed.size() * 2) return {};
  for (std::size_t i = 0; i < draw.seed.size(); ++i) {
    draw.seed[i] = static_cast<std::uint8_t>(HexDigit(seed[2 * i]) * 16 + HexDigit(seed[2 * i + 1]));
  }
  draw.commitment = Commitment(draw.seed);
  const auto digest = NextWord(text);
  if (digest != "-") draw.order_digest = digest;
  return draw;
}

std::string PackPositions(const Shuffle& shuffle) {
  std::string bytes;
  bytes.reserve(std::size_t{4} * shuffle.count());
  for (std::uint32_t comer = 0; comer < shuffle.count(); ++comer) {
    const auto position = shuffle.PositionOf(comer);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(position >> shift & 0xff);
  }
  return bytes;
}

}  // namespace maejin::redis
