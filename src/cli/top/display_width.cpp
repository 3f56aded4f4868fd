#include "cli/top/display_width.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"

namespace maejin::cli {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// East Asian Wide and Fullwidth (Unicode 15, EastAsianWidth); adjacent ranges are merged.
constexpr CodeRange kTwoColumns[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},   {0x26BD, 0x26BE},
    {0x2705, 0x2705},   {0x274C, 0x274C},   {0x2753, 0x2757},   {0x2B50, 0x2B50},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
    {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F43E}, {0x1F440, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F567},
    {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D7},
    {0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD}};

// Combining marks, and the vowels and finals of decomposed Hangul.
constexpr CodeRange kNoColumn[] = {{0x0300, 0x036F}, {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                   {0x200D, 0x200D}, {0x20D0, 0x20F0}, {0x302A, 0x302D}, {0x3099, 0x309A},
                                   {0xD7B0, 0xD7FB}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};

// Control characters, line separators, and invisible formatting characters.
constexpr CodeRange kUnprintable[] = {{0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD},  {0x061C, 0x061C},
                                      {0x200B, 0x200C}, {0x200E, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
                                      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

template <std::size_t N>
bool InRanges(const CodeRange (&ranges)[N], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

// The code point of a well-formed sequence.
char32_t CodePoint(std::string_view sequence) {
  constexpr unsigned char kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code = static_cast<unsigned char>(sequence[0]) & kLeadBits[sequence.size()];
  for (const char byte : sequence.substr(1)) code = code << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  return code;
}

// Removes the first character from `text`; an invalid byte counts as one character.
std::string_view TakeCharacter(std::string_view& text) {
  const auto character = text.substr(0, std::max<std::size_t>(Utf8SequenceLength(text), 1));
  text.remove_prefix(character.size());
  return character;
}

std::size_t ColumnsOf(std::string_view character) {
  if (Utf8SequenceLength(character) == 0) return 1;
  const auto code = CodePoint(character);
  if (InRanges(kNoColumn, code)) return 0;
  return InRanges(kTwoColumns, code) ? 2 : 1;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto character = TakeCharacter(text);
    const bool good = Utf8SequenceLength(character) > 0 && !InRanges(kUnprintable, CodePoint(character));
    out += good ? character : std::string_view("?");
  }
  return out;
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) columns += ColumnsOf(TakeCharacter(text));
  return columns;
}

std::string Truncate(std::string_view text, std::size_t columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string out;
  for (std::size_t used = 1; !text.empty();) {  // 1: the "…"
    const auto character = TakeCharacter(text);
    used += ColumnsOf(character);
    if (used > columns) break;
    out += character;
  }
  return out + "…";
}

std::string PadRight(std::string_view text, std::size_t columns) {
  auto cut = Truncate(text, columns);
  return cut.append(columns - DisplayWidth(cut), ' ');
}

std::string PadLeft(std::string_view text, std::size_t columns) {
  const auto cut = Truncate(text, columns);
  return std::string(columns - DisplayWidth(cut), ' ') + cut;
}

}  // namespace maejin::cli
