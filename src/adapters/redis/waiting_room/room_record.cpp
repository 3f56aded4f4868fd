#include "adapters/redis/waiting_room/room_record.h"

#include <algorithm>
#include <charconv>

#include "base/crypto.h"
#include "base/hex.h"
#include "base/numbers.h"
#include "base/take_until.h"

namespace maejin::redis {
namespace {

// The values of fields as texts.
std::string FieldText(std::integral auto number) { return std::to_string(number); }
std::string FieldText(Millis length) { return std::to_string(length.count()); }
std::string FieldText(Time time) { return std::to_string(ToMillis(time)); }
std::string FieldText(const std::string& text) { return text; }
std::string FieldText(const std::vector<std::string>& lines) { return JoinLines(lines); }
std::string FieldText(const std::optional<Standby>& standby) { return StandbyText(standby); }
std::string FieldText(const std::optional<Floating>& floating) { return FloatingText(floating); }
template <class Word>
  requires std::is_enum_v<Word>
std::string FieldText(Word word) {
  return std::string(Name(word));
}
template <class Value>
std::string FieldText(const std::optional<Value>& value) {
  return value ? FieldText(*value) : "";
}

// ReadField() parses the texts of FieldText(). It parses a number as a double, because Lua writes large
// numbers as doubles.
void ReadField(std::string_view text, std::integral auto& number) {
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  number = static_cast<std::remove_reference_t<decltype(number)>>(static_cast<std::int64_t>(read));
}
template <class Rep, class Period>
void ReadField(std::string_view text, std::chrono::duration<Rep, Period>& length) {
  std::int64_t millis = 0;
  ReadField(text, millis);
  length = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(Millis{millis});
}
void ReadField(std::string_view text, Time& time) {
  Millis since_epoch{0};
  ReadField(text, since_epoch);
  time = Time{since_epoch};
}
void ReadField(std::string_view text, std::string& value) { value = text; }
void ReadField(std::string_view text, std::vector<std::string>& lines) { lines = SplitLines(text); }
void ReadField(std::string_view text, std::optional<Standby>& value) { value = ParseStandby(text); }
void ReadField(std::string_view text, std::optional<Floating>& value) { value = ParseFloating(text); }
void ReadField(std::string_view text, Admission& value) { value = ParseAdmission(text).value_or(value); }
void ReadField(std::string_view text, Visitors& value) { value = ParseVisitors(text).value_or(value); }
void ReadField(std::string_view text, Verification& value) { value = ParseVerify(text).value_or(value); }
void ReadField(std::string_view text, RoomState& value) { value = ParseRoomState(text).value_or(value); }
void ReadField(std::string_view text, PreQueueOrder& value) {
  value = ParsePreQueueOrder(text).value_or(value);
}
template <class Value>
void ReadField(std::string_view text, std::optional<Value>& value) {
  value.reset();
  if (!text.empty()) ReadField(text, value.emplace());
}

// Calls `visit` with the name and the value of every setting.
template <class Settings, class Visit>
void ForEachSetting(Settings& settings, Visit visit) {
  visit("capacity", settings.capacity);
  visit("admission", settings.admission);
  visit("rate_per_minute", settings.rate_per_minute);
  visit("token_ttl_ms", settings.token_ttl);
  visit("session_limit_ms", settings.session_limit);
  visit("turn_ms", settings.turn);
  visit("grace_ms", settings.grace);
  visit("admit_interval_ms", settings.admit_interval);
  visit("release_on_payment", settings.release_on_payment);
  visit("draining", settings.draining);
  visit("joins_per_address_per_minute", settings.joins_per_address_per_minute);
  visit("pre_queue_at", settings.pre_queue_at);
  visit("opens_at", settings.opens_at);
  visit("closes_at", settings.closes_at);
  visit("order", settings.order);
  visit("followed", settings.followed);
  visit("ended", settings.ended);
  visit("title", settings.site.title);
  visit("return_urls", settings.site.return_urls);
  visit("visitors", settings.site.visitors);
  visit("verify", settings.site.verify);
  visit("standby", settings.site.standby);
  visit("floating", settings.site.floating);
  visit("notice", settings.notice);
}

// Calls `visit` with the name and the value of every number of a record.
template <class Record, class Visit>
void ForEachNumber(Record& record, Visit visit) {
  visit("epoch", record.info.epoch);
  visit("first_epoch", record.first_epoch);
  visit("version", record.version);
  visit("phases", record.phases);
  visit("last_number", record.info.last_number);
  visit("serving", record.info.serving.serving);
  visit("changes", record.changes);
  visit("line_sum", record.line_sum);
  visit("lost_at", record.lost_at);
  visit("lost_number", record.lost_number);
  visit("nodes", record.nodes);
  visit("merged", record.merged);
  visit("before_range", record.before_range);
}

auto WriteTo(Fields& fields) {
  return [&fields](const char* name, const auto& value) { fields.emplace_back(name, FieldText(value)); };
}

using FieldMap = std::map<std::string, std::string, std::less<>>;

RoomRecord RecordOfFields(RoomId room, const FieldMap& fields) {
  RoomRecord record;
  auto& info = record.info;
  info.room = std::move(room);
  const auto read = [&fields](const char* name, auto& value) {
    if (const auto found = fields.find(name); found != fields.end()) ReadField(found->second, value);
  };
  ForEachSetting(info.settings, read);
  ForEachNumber(record, read);
  read("server", record.server);
  auto& serving = info.serving;
  serving.state = RoomState::kPaused;
  read("state", serving.state);
  serving.capacity = info.settings.capacity;
  serving.order = info.settings.order;
  return record;
}

RoomRecord DecodeFields(RoomId room, const Reply& pairs, const Reply& draws) {
  FieldMap fields;
  for (std::size_t i = 0; i < pairs.elements.size(); i += 2) fields[pairs.At(i).text] = pairs.At(i + 1).text;
  auto record = RecordOfFields(std::move(room), fields);
  for (const auto& text : draws.elements) {
    if (auto draw = ParseDraw(text.text)) record.info.draws.push_back(std::move(*draw));
  }
  return record;
}

}  // namespace

std::optional<RoomRecord> DecodeRecord(RoomId room, const Reply& reply) {
  if (CodeOf(reply) != RoomCode::kDone || !reply.At(1).is_array()) return {};
  auto record = DecodeFields(std::move(room), reply.At(1), reply.At(2));
  const auto& flow = reply.At(3);
  for (std::size_t i = 0; i < flow.elements.size(); i += 2)
    record.entries[flow.At(i).AsInteger()] = flow.At(i + 1).AsInteger();
  record.info.serving.waiting = static_cast<std::uint32_t>(reply.At(4).AsInteger());
  record.info.serving.entered = static_cast<std::uint32_t>(reply.At(5).AsInteger());
  record.line = reply.At(6).text;
  record.skips = reply.At(7).text;
  record.before = reply.At(8).text;
  return record;
}

std::optional<Loss> DecodeLoss(RoomId room, const Reply& reply) {
  if (CodeOf(reply) != RoomCode::kOne) return {};
  Loss loss{DecodeFields(std::move(room), reply.At(1), reply.At(2)), reply.At(3).text, {}};
  const auto& inside = reply.At(4);
  for (std::size_t i = 0; i < inside.elements.size(); i += 2)
    loss.inside.emplace_back(inside.At(i).text, static_cast<PlaceNumber>(inside.At(i + 1).AsInteger()));
  return loss;
}

Fields SettingsFields(const RoomSettings& settings, RoomState state) {
  const auto next = NextPhaseAt(settings, state);
  Fields fields = {{"state", FieldText(state)}, {"phase_at", FieldText(next == Time::max() ? Time{} : next)}};
  ForEachSetting(settings, WriteTo(fields));
  return fields;
}

namespace {

// Settings, phase, and the first number of the draw that has begun.
Fields PhaseFields(const RoomRecord& record) {
  auto fields = SettingsFields(record.info.settings, record.info.serving.state);
  Draws draws;
  draws.Restore(record.info.draws);
  fields.emplace_back("draw_first", FieldText(draws.UndrawnFrom()));
  return fields;
}

}  // namespace

Fields NewerFields(const RoomRecord& record) {
  auto fields = PhaseFields(record);
  fields.emplace_back("phases", FieldText(record.phases));
  fields.emplace_back("version", FieldText(record.version));
  return fields;
}

// All other fields of a room, such as no_shows, begin at 0, which the scripts read where a field is missing.
Fields NewRoomFields(const RoomRecord& record) {
  auto fields = PhaseFields(record);
  ForEachNumber(record, WriteTo(fields));
  fields.emplace_back("floor", "0");
  fields.emplace_back("credit", "60000");
  if (!record.server.empty()) fields.emplace_back("server", record.server);
  return fields;
}

bool IsOlder(const RoomRecord& record, const RoomRecord& other) {
  return std::pair(record.info.epoch, record.version) < std::pair(other.info.epoch, other.version);
}

std::string SavedText(const RoomRecord& record) {
  auto fields = SettingsFields(record.info.settings, record.info.serving.state);
  fields.emplace_back("version", FieldText(record.version));
  fields.emplace_back("phases", FieldText(record.phases));
  fields.emplace_back("first_epoch", FieldText(record.first_epoch));
  fields.emplace_back("server", record.server);
  std::string text;
  for (const auto& [name, value] : fields) {
    text += name + " ";
    // A notice may contain line breaks.
    for (const char c : value) text += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
    text += "\n";
  }
  for (const auto& draw : record.info.draws) text += "draw " + DrawText(draw) + "\n";
  return text;
}

std::optional<RoomRecord> ParseSavedText(RoomId room, std::string_view text) {
  std::vector<Draw> draws;
  FieldMap fields;
  while (!text.empty()) {
    auto line = TakeUntil(text, '\n');
    const auto name = TakeUntil(line, ' ');
    if (name == "draw") {
      if (auto draw = ParseDraw(line)) draws.push_back(std::move(*draw));
      continue;
    }
    auto& value = fields[std::string(name)];
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool escaped = line[i] == '\\' && i + 1 < line.size();
      if (escaped) ++i;
      value += escaped && line[i] == 'n' ? '\n' : line[i];
    }
  }
  if (!fields.contains("state")) return {};
  auto record = RecordOfFields(std::move(room), fields);
  record.info.draws = std::move(draws);
  return record;
}

std::string DrawText(const Draw& draw) {
  return std::to_string(draw.first) + " " + std::to_string(draw.count) + " " + HexText(AsText(draw.seed)) +
         " " + (draw.drawn() ? draw.order_digest : "-");
}

std::optional<Draw> ParseDraw(std::string_view text) {
  Draw draw;
  draw.first = ParseInt<PlaceNumber>(TakeUntil(text, ' ')).value_or(0);
  draw.count = ParseInt<std::uint32_t>(TakeUntil(text, ' ')).value_or(0);
  if (!ReadHex(TakeUntil(text, ' '), draw.seed)) return {};
  draw.commitment = Commitment(draw.seed);
  const auto digest = TakeUntil(text, ' ');
  if (digest != "-") draw.order_digest = digest;
  return draw;
}

}  // namespace maejin::redis
