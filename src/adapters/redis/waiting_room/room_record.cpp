#include "adapters/redis/waiting_room/room_record.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/crypto.h"
#include "base/hex.h"
#include "base/numbers.h"
#include "base/take_until.h"
#include "domain/waiting_room/settings_fields.h"

namespace maejin::redis {
namespace {

// The values of fields as texts.
std::string FieldText(std::integral auto number) { return std::to_string(number); }
std::string FieldText(Millis length) { return std::to_string(length.count()); }
std::string FieldText(Time time) { return std::to_string(ToMillis(time)); }
std::string FieldText(std::optional<std::uint32_t> number) { return number ? FieldText(*number) : ""; }
std::string FieldText(std::optional<Time> time) { return time ? FieldText(*time) : ""; }
std::string FieldText(const TextSetting auto& setting) { return SettingText(setting); }

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
void ReadField(std::string_view text, TextSetting auto& setting) { ReadSetting(text, setting); }
template <class Value>
  requires(!TextSetting<std::optional<Value>>)
void ReadField(std::string_view text, std::optional<Value>& value) {
  value.reset();
  if (!text.empty()) ReadField(text, value.emplace());
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
  auto& serving = info.serving;
  serving.state = RoomState::kPaused;
  read("state", serving.state);
  read("serving", serving.serving);
  read("epoch", info.epoch);
  read("first_epoch", record.first_epoch);
  read("last_number", info.last_number);
  read("version", record.version);
  read("phases", record.phases);
  read("changes", record.changes);
  read("line_sum", record.line_sum);
  read("lost_at", record.lost_at);
  read("lost_number", record.lost_number);
  read("nodes", record.nodes);
  read("merged", record.merged);
  read("before_range", record.before_range);
  read("server", record.server);
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

// Names and values of fields, in turn: settings, state, the time of the next phase (0: never), the first
// number of the draw that has begun (0: none), phases, version and first epoch.
std::vector<std::string> FieldsOf(const RoomRecord& record) {
  const auto& info = record.info;
  std::vector<std::string> fields;
  const auto write = [&](const char* name, const auto& value) {
    fields.emplace_back(name);
    fields.push_back(FieldText(value));
  };
  const auto next = NextPhaseAt(info.settings, info.serving.state);
  write("state", info.serving.state);
  write("phase_at", next == Time::max() ? Time{} : next);
  write("draw_first", Draws(info.draws).UndrawnFrom());
  write("phases", record.phases);
  write("version", record.version);
  write("first_epoch", record.first_epoch);
  ForEachSetting(info.settings, write);
  return fields;
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

std::vector<std::string> RecordWords(const RoomRecord& record, const std::vector<Draw>& known) {
  const auto& draws = record.info.draws;
  std::vector<std::string> words(1, std::to_string(draws.size()));
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const auto text = DrawText(draws[i]);
    const bool is_ordered = i < known.size() && DrawText(known[i]) == text;
    words.push_back(text);
    words.push_back(draws[i].drawn() && !is_ordered ? OrderBytes(Shuffle(draws[i].seed, draws[i].count))
                                                    : "");
  }
  std::ranges::move(FieldsOf(record), std::back_inserter(words));
  return words;
}

bool IsOlder(const RoomRecord& record, const RoomRecord& other) {
  return std::pair(record.info.epoch, record.version) < std::pair(other.info.epoch, other.version);
}

std::string SavedText(const RoomRecord& record) {
  auto fields = FieldsOf(record);
  fields.insert(fields.end(), {"server", record.server});
  std::string text;
  for (std::size_t i = 0; i < fields.size(); i += 2) {
    text += fields[i] + " ";
    // A notice may contain line breaks.
    for (const char c : fields[i + 1]) text += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
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
