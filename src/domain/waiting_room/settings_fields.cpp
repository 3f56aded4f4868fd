#include "domain/waiting_room/settings_fields.h"

namespace maejin {

void ReadSetting(std::string_view text, std::string& value) { value = text; }
void ReadSetting(std::string_view text, std::vector<std::string>& lines) { lines = SplitLines(text); }
void ReadSetting(std::string_view text, std::optional<Standby>& standby) { standby = ParseStandby(text); }
void ReadSetting(std::string_view text, std::optional<Floating>& floating) { floating = ParseFloating(text); }
void ReadSetting(std::string_view text, Admission& value) { value = ParseAdmission(text).value_or(value); }
void ReadSetting(std::string_view text, Visitors& value) { value = ParseVisitors(text).value_or(value); }
void ReadSetting(std::string_view text, Verification& value) { value = ParseVerify(text).value_or(value); }
void ReadSetting(std::string_view text, RoomState& value) { value = ParseRoomState(text).value_or(value); }
void ReadSetting(std::string_view text, PreQueueOrder& value) {
  value = ParsePreQueueOrder(text).value_or(value);
}

}  // namespace maejin
