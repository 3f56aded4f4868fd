// Every request that our parser accepts, Boost.Beast must parse to the same target, fields, body and end. Our
// parser may refuse more (line folding, repeated lengths, bare line ends), never accept more.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/chunked.h"
#include "server/request_head.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;
using maejin::http::ChunkDecoder;
using maejin::http::HeadError;
using maejin::http::HeadScanner;
using maejin::http::RequestHead;
namespace beast = boost::beast::http;

struct Understood {
  std::string body;
  std::size_t consumed = 0;
  bool complete = false;
  bool malformed = false;
};

// Feeds the body in two packets, split at `cut`.
Understood TakeBody(const RequestHead& head, std::string rest, std::size_t cut) {
  Understood out;
  if (!head.chunked()) {
    out.complete = rest.size() >= head.content_length();
    if (out.complete) out.consumed = static_cast<std::size_t>(head.content_length());
    out.body = rest.substr(0, out.consumed);
    return out;
  }
  ChunkDecoder decoder;
  cut = std::min(cut, rest.size());
  for (const auto& [from, size] : {std::pair{std::size_t{0}, cut}, std::pair{cut, rest.size() - cut}}) {
    auto piece = rest.substr(from, size);
    const auto step = decoder.Decode(piece.data(), piece.size(), piece.data());
    Must(step.produced <= step.consumed && step.consumed <= size);
    out.body.append(piece, 0, step.produced);
    out.consumed += step.consumed;
    out.complete = step.state == ChunkDecoder::State::kDone;
    out.malformed = step.state == ChunkDecoder::State::kMalformed;
    if (out.complete || out.malformed) break;
    Must(step.consumed == size);
  }
  return out;
}

// Our parser discards chunk extensions and trailers unread; Beast parses them and refuses some.
bool HasExtras(const std::string& chunks) {
  const auto last_line = chunks.rfind('\n', chunks.size() - 5);
  const auto start = last_line == std::string::npos ? 0 : last_line + 1;
  return chunks.find(';') != std::string::npos || chunks.find_first_not_of('0', start) != chunks.size() - 4;
}

void CompareWithBeast(const RequestHead& head, const std::string& text, std::size_t head_size,
                      const Understood& ours) {
  beast::request_parser<beast::string_body> parser;
  parser.eager(true);
  parser.header_limit(1 << 20);
  parser.body_limit(1 << 20);
  boost::system::error_code error;
  std::size_t used = 0;
  while (used < text.size() && !parser.is_done()) {
    const auto more = parser.put(boost::asio::buffer(text.data() + used, text.size() - used), error);
    used += more;
    if (error == beast::error::need_more) error = {};
    if (error || more == 0) break;
  }
  Must(!error);
  Must(parser.is_done());
  const auto& message = parser.get();
  Must(message.target() == boost::beast::string_view(head.target().data(), head.target().size()));
  Must(message.body() == ours.body);
  Must(used == head_size + ours.consumed);
  std::size_t fields = 0;
  for (const auto& field : message) {
    static_cast<void>(field);
    ++fields;
  }
  // Beast adds the trailers of a chunked body to the fields.
  Must(fields >= static_cast<std::size_t>(head.end() - head.begin()));
  Must(parser.keep_alive() == head.keep_alive());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 8192) return 0;
  const std::size_t cut = data[0];
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  // The scanner finds the same end with one byte at a time and with all at once.
  HeadScanner whole;
  HeadScanner slow;
  const auto state = whole.Scan(text);
  auto slow_state = HeadScanner::State::kIncomplete;
  for (std::size_t i = 1; i <= text.size() && slow_state == HeadScanner::State::kIncomplete; ++i) {
    slow_state = slow.Scan(std::string_view(text).substr(0, i));
  }
  Must(state == slow_state);
  if (state != HeadScanner::State::kComplete) return 0;
  Must(whole.length() == slow.length());
  RequestHead head;
  const auto head_text = text.substr(0, whole.length());
  if (head.Parse(head_text, {}) != HeadError::kNone) return 0;
  const auto body = TakeBody(head, text.substr(whole.length()), cut);
  const auto again = TakeBody(head, text.substr(whole.length()), 0);
  Must(body.complete == again.complete && body.malformed == again.malformed);
  if (!body.complete) return 0;
  Must(body.body == again.body && body.consumed == again.consumed);
  // Our parser accepts later minor versions, Beast does not.
  const char minor = head_text[head_text.find('\r') - 1];
  if (minor != '0' && minor != '1') return 0;
  if (head.chunked() && HasExtras(text.substr(whole.length(), body.consumed))) return 0;
  // Beast also reads the non-standard Proxy-Connection, and refuses some values of it.
  if (!head.Find("Proxy-Connection").empty()) return 0;
  CompareWithBeast(head, text, whole.length(), body);
  return 0;
}
