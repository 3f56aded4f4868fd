// Cuts a long body into JSON values as it comes in: one a line (NDJSON), or the elements of one array.
// Nothing is parsed here; a piece is only as long as the limit allows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace maejin::http {

class JsonPieces {
 public:
  struct Piece {
    std::int64_t line = 0;  // of NDJSON the line, of an array the element; from 1
    std::string text;
    bool too_long = false;  // then `text` is empty
  };
  explicit JsonPieces(std::size_t longest) : longest_(longest) {}

  // Takes the next bytes and appends the pieces that are whole now.
  void Feed(std::string_view bytes, std::vector<Piece>& out);
  // After the last byte. False: an array was not closed, or something follows it.
  bool Finish(std::vector<Piece>& out);
  // Of the piece that is being read.
  std::int64_t line() const { return line_; }

 private:
  enum class Form : std::uint8_t { kUnknown, kLines, kArray };

  void FeedElement(char c, std::vector<Piece>& out);
  void Keep(char c);
  void Emit(std::vector<Piece>& out);

  const std::size_t longest_;
  Form form_ = Form::kUnknown;
  std::int64_t line_ = 1;
  std::string piece_;
  bool too_long_ = false;
  // Inside an array.
  int depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
  bool closed_ = false;
  bool broken_ = false;
};

}  // namespace maejin::http
