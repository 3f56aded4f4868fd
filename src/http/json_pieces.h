// Cuts a long body into JSON values as it comes in: one a line (NDJSON), objects that go over lines (where
// that is asked for), or the elements of one array. Nothing is parsed here; a piece is only as long as the
// limit allows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace maejin::http {

class JsonPieces {
 public:
  struct Piece {
    std::int64_t line = 0;  // where it begins; of an array the element; from 1
    std::string text;
    bool too_long = false;  // then `text` is empty
  };
  // What ends a piece outside of an array: the end of its line, or of the object that may go over several.
  // With lines a broken piece spoils no other.
  enum class Cut : std::uint8_t { kLines, kObjects };
  explicit JsonPieces(std::size_t longest, Cut cut = Cut::kLines) : longest_(longest), cut_(cut) {}

  // Takes the next bytes and appends the pieces that are whole now.
  void Feed(std::string_view bytes, std::vector<Piece>& out);
  // After the last byte. False: an array was not closed, or something follows it.
  bool Finish(std::vector<Piece>& out);
  // Of the piece that is being read.
  std::int64_t line() const { return line_; }

 private:
  enum class Form : std::uint8_t { kUnknown, kLines, kObjects, kArray };

  void Begin(char first);
  // Keeps a character and what it means for strings and nesting.
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
  // Inside an array or an object.
  int depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
  bool closed_ = false;
  bool broken_ = false;
};

}  // namespace maejin::http
