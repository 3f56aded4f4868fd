#include "server/chunked.h"

#include <algorithm>
#include <cstring>

#include "base/ascii.h"
#include "server/field_characters.h"

namespace maejin::http {
namespace {

constexpr std::uint32_t kMostSpent = 4096;
constexpr std::uint8_t kMostDigits = 15;

}  // namespace

ChunkDecoder::Step ChunkDecoder::Decode(const char* data, std::size_t size, char* out) {
  Step step;
  while (step.consumed < size && at_ != At::kEnd) {
    if (at_ == At::kData) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, size - step.consumed));
      std::memmove(out + step.produced, data + step.consumed, count);
      step.consumed += count;
      step.produced += count;
      left_ -= count;
      if (left_ == 0) at_ = At::kDataCr;
    } else if (!Frame(data[step.consumed++])) {
      step.state = State::kMalformed;
      return step;
    }
  }
  if (at_ == At::kEnd) step.state = State::kDone;
  return step;
}

bool ChunkDecoder::SizeDigit(char c) {
  const int value = HexValue(c);
  if (value < 0 || ++digits_ > kMostDigits) return false;
  left_ = left_ * 16 + static_cast<std::uint64_t>(value);
  return true;
}

bool ChunkDecoder::Frame(char c) {
  const auto expect = [&](char wanted, At next) {
    at_ = next;
    return c == wanted;
  };
  switch (at_) {
    case At::kSize:
      if (c == '\r' && digits_ > 0) return expect('\r', At::kSizeLf);
      if (c == ';' && digits_ > 0) return expect(';', At::kExtension);
      return SizeDigit(c);
    case At::kExtension:
      if (c == '\r') return expect('\r', At::kSizeLf);
      return IsFieldCharacter(c) && ++spent_ <= kMostSpent;
    case At::kSizeLf:
      digits_ = 0;
      return expect('\n', left_ > 0 ? At::kData : At::kTrailer);
    case At::kDataCr:
      return expect('\r', At::kDataLf);
    case At::kDataLf:
      return expect('\n', At::kSize);
    case At::kTrailer:
      if (c == '\r') return expect('\r', At::kEndLf);
      at_ = At::kTrailerName;
      return IsTokenCharacter(c) && ++spent_ <= kMostSpent;
    case At::kTrailerName:
      if (c == ':') at_ = At::kTrailerLine;
      return (c == ':' || IsTokenCharacter(c)) && ++spent_ <= kMostSpent;
    case At::kTrailerLine:
      if (c == '\r') return expect('\r', At::kTrailerLf);
      return IsFieldCharacter(c) && ++spent_ <= kMostSpent;
    case At::kTrailerLf:
      return expect('\n', At::kTrailer);
    case At::kEndLf:
      return expect('\n', At::kEnd);
    case At::kData:
    case At::kEnd:
      break;
  }
  return false;
}

}  // namespace maejin::http
