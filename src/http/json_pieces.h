// Splits a long body into JSON values while it is received: one per text line (NDJSON), objects over several
// text lines (Cut::kObjects), or the elements of one array. The pieces are not parsed here. A piece has a
// maximum length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace maejin::http {

class JsonPieces {
 public:
  struct Piece {
    std::int64_t line = 0;  // the text line where it begins, or the index in an array; from 1
    std::string text;
    bool too_long = false;  // then `text` is empty
  };
  // Where a piece ends, if the body is no array: at the end of its text line, or of its object. With kLines
  // an invalid piece does not affect the pieces after it.
  enum class Cut : std::uint8_t { kLines, kObjects };
  explicit JsonPieces(std::size_t longest, Cut cut = Cut::kLines) : longest_(longest), cut_(cut) {}

  // Reads the next bytes and appends the pieces they complete.
  void Feed(std::string_view bytes, std::vector<Piece>& out);
  // Call after the last byte. False: an array is not closed, or text follows it.
  bool Finish(std::vector<Piece>& out);
  // The text line or index of the piece that is being read.
  std::int64_t line() const { return line_; }

 private:
  enum class Form : std::uint8_t { kUnknown, kLines, kObjects, kArray };

  void Begin(char first);
  // Appends a character and tracks strings and nesting.
  void Follow(char c);
  void FeedElement(char c, std::vector<Piece>& out);
  void FeedObject(char c, std::vector<Piece>& out);
  void Keep(char c);
  void Emit(std::vector<Piece>& out);

  const std::size_t longest_;
  const Cut cut_;
  Form form_ = Form::kUnknown;
  std::int64_t line_ = 1;
  std::int64_t lines_read_ = 0;  // of the object that is being read
  std::string piece_;
  bool too_long_ = false;
  // State of the scan inside an array or an object.
  int depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
  bool closed_ = false;
  bool broken_ = false;
};

}  // namespace maejin::http
