// The settings of a room as named fields, for stores that keep each in a column or a field.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/named.h"
#include "domain/waiting_room/settings.h"

namespace maejin {

// Calls `visit` with the name and the value of every setting, always in this order.
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
  visit("notice", settings.notice);
  visit("order", settings.order);
  visit("followed", settings.followed);
  visit("ended", settings.ended);
  visit("title", settings.site.title);
  visit("return_urls", settings.site.return_urls);
  visit("visitors", settings.site.visitors);
  visit("verify", settings.site.verify);
  visit("standby", settings.site.standby);
  visit("floating", settings.site.floating);
}

// The text of a setting that is no number and no time; ReadSetting() reads it. A name that is unknown leaves
// the value unchanged.
inline std::string SettingText(const std::string& text) { return text; }
inline std::string SettingText(const std::vector<std::string>& lines) { return JoinLines(lines); }
inline std::string SettingText(const std::optional<Standby>& standby) { return StandbyText(standby); }
inline std::string SettingText(const std::optional<Floating>& floating) { return FloatingText(floating); }
template <class Word>
  requires std::is_enum_v<Word>
std::string SettingText(Word word) {
  return std::string(Name(word));
}
inline void ReadSetting(std::string_view text, std::string& value) { value = text; }
inline void ReadSetting(std::string_view text, std::vector<std::string>& lines) { lines = SplitLines(text); }
inline void ReadSetting(std::string_view text, std::optional<Standby>& standby) {
  standby = ParseStandby(text);
}
inline void ReadSetting(std::string_view text, std::optional<Floating>& floating) {
  floating = ParseFloating(text);
}
template <class Word>
  requires std::is_enum_v<Word>
void ReadSetting(std::string_view text, Word& word) {
  word = ParseName<Word>(text).value_or(word);
}
template <class Value>
concept TextSetting = requires(std::string_view text, Value& value) { ReadSetting(text, value); };

}  // namespace maejin
