#include "http/json_pieces.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace maejin::http {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

void JsonPieces::Keep(char c) {
  if (piece_.size() < longest_) {
    piece_ += c;
  } else {
    too_long_ = true;
  }
}

void JsonPieces::Emit(std::vector<Piece>& out) {
  if (too_long_) {
    out.push_back({line_, {}, true});
  } else if (!IsBlank(piece_)) {
    out.push_back({line_, std::exchange(piece_, {}), false});
  }
  piece_.clear();
  too_long_ = false;
  ++line_;
}

void JsonPieces::Feed(std::string_view bytes, std::vector<Piece>& out) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (form_ == Form::kUnknown) {
      if (IsSpace(c)) {
        line_ += c == '\n';
        continue;
      }
      Begin(c);
      if (form_ == Form::kArray) continue;
    }
    if (form_ == Form::kLines) {
      // Appends the rest of the text line at once, because a loop over single bytes would slow a long import.
      const auto end = std::min(bytes.find('\n', i), bytes.size());
      const auto run = bytes.substr(i, end - i);
      const auto room = longest_ - piece_.size();
      piece_.append(run.substr(0, room));
      too_long_ = too_long_ || run.size() > room;
      if (end < bytes.size()) Emit(out);
      i = end;
    } else if (form_ == Form::kObjects) {
      FeedObject(c, out);
    } else {
      FeedElement(c, out);
    }
  }
}

void JsonPieces::Begin(char first) {
  if (first == '[') {
    form_ = Form::kArray;
    line_ = 1;
  } else {
    form_ = cut_ == Cut::kLines ? Form::kLines : Form::kObjects;
  }
}

void JsonPieces::Follow(char c) {
  Keep(c);
  if (in_text_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_text_ = false;
    }
    return;
  }
  in_text_ = c == '"';
  depth_ += c == '{' || c == '[';
  depth_ = std::max(depth_ - (c == '}' || c == ']'), 0);
}

// An object ends with its last brace; any other value ends with its text line.
void JsonPieces::FeedObject(char c, std::vector<Piece>& out) {
  const bool between = piece_.empty() && !too_long_;
  if (between && IsSpace(c)) {
    line_ += c == '\n';
    return;
  }
  const bool was_inside = depth_ > 0;
  Follow(c);
  lines_read_ += c == '\n';
  const bool over = depth_ == 0 && !in_text_ && (was_inside || c == '\n');
  if (!over) return;
  Emit(out);
  line_ += lines_read_ - 1;  // Emit() has already counted one of them
  lines_read_ = 0;
}

void JsonPieces::FeedElement(char c, std::vector<Piece>& out) {
  if (closed_) {
    broken_ = broken_ || !IsSpace(c);
    return;
  }
  if (!in_text_ && depth_ == 0 && (c == ',' || c == ']')) {
    closed_ = c == ']';
    const bool empty_array = closed_ && line_ == 1 && IsBlank(piece_) && !too_long_;
    if (!empty_array && IsBlank(piece_) && !too_long_)
      piece_ = "?";  // "[1,,2]": an element that no parser takes
    Emit(out);
    return;
  }
  Follow(c);
}

bool JsonPieces::Finish(std::vector<Piece>& out) {
  if (form_ == Form::kLines || form_ == Form::kObjects) Emit(out);
  return form_ != Form::kArray || (closed_ && !broken_);
}

}  // namespace maejin::http
