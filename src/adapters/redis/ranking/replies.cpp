#include "adapters/redis/ranking/replies.h"

#include <utility>

namespace maejin::redis {
namespace {

constexpr std::int64_t kIncomplete = -1;
constexpr std::int64_t kNotThere = -2;

}  // namespace

std::vector<AddedRow> DecodeAdd(const Reply& reply) {
  std::vector<AddedRow> rows;
  rows.reserve(reply.elements.size());
  for (const auto& element : reply.elements) {
    const auto code = element.AsInteger();
    rows.push_back(code == 0 ? AddedRow::kKnown : code == 1 ? AddedRow::kNew : AddedRow::kRepaired);
  }
  return rows;
}

std::optional<BoardRows> DecodeRead(Reply reply) {
  const auto visible = reply.At(0).AsInteger();
  if (visible == kIncomplete) return std::nullopt;
  BoardRows rows{visible, reply.At(1).AsInteger(), reply.At(2).AsInteger(), {}, visible != kNotThere};
  if (reply.elements.size() > 3) rows.rows = DecodeScores(std::move(reply.elements[3]));
  return rows;
}

std::optional<BoardPositions> DecodeRanks(Reply reply) {
  const auto corrections = reply.At(0).AsInteger();
  if (corrections == kIncomplete) return std::nullopt;
  BoardPositions found{corrections, {}};
  for (std::size_t i = 1; i < reply.elements.size(); ++i) {
    auto& element = reply.elements[i];
    BoardPosition position{element.At(0).AsInteger(), element.At(1).AsInteger(), {}};
    position.built = position.before != kNotThere;
    for (std::size_t j = 2; j < element.elements.size(); ++j)
      position.equal.push_back(std::move(element.elements[j].text));
    found.positions.push_back(std::move(position));
  }
  return found;
}

std::optional<Outcome<ProgressRows>> DecodeProgressRead(Reply reply) {
  const auto visible = reply.At(0).AsInteger();
  if (visible == kIncomplete) return std::nullopt;
  if (visible == kNotThere) return Outcome<ProgressRows>(Refusal::kNotRanked);
  ProgressRows rows{visible, reply.At(1).AsInteger(), {}, {}};
  if (reply.elements.size() > 2) rows.orders = DecodeTexts(std::move(reply.elements[2]));
  if (reply.elements.size() > 3) rows.dates = DecodeTexts(std::move(reply.elements[3]));
  return Outcome<ProgressRows>(std::move(rows));
}

BoardState DecodeState(const Reply& reply) {
  return {.complete = reply.At(0).text == "1",
          .changes = reply.At(1).AsInteger(),
          .pruned_before = reply.At(2).AsInteger(),
          .server = reply.At(3).text,
          .corrections = reply.At(4).AsInteger()};
}

PruneReport DecodeDrop(const Reply& reply) { return {reply.At(0).AsInteger(), reply.At(1).AsInteger()}; }

bool DecodeProgress(const Reply& reply) { return reply.AsInteger() >= 0; }

bool DecodeSuccess(const Reply& reply) { return reply.AsInteger() == 1; }

std::vector<BoardRows::Row> DecodeScores(Reply reply) {
  std::vector<BoardRows::Row> rows;
  rows.reserve(reply.elements.size() / 2);
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    rows.push_back({std::move(reply.elements[i].text), std::move(reply.elements[i + 1].text)});
  return rows;
}

ScoresPage DecodeScan(Reply reply) {
  ScoresPage page{reply.At(0).text, {}};
  if (reply.elements.size() > 1) page.rows = DecodeScores(std::move(reply.elements[1]));
  return page;
}

std::map<std::string, std::string> DecodeFields(Reply reply) {
  std::map<std::string, std::string> fields;
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    fields[std::move(reply.elements[i].text)] = std::move(reply.elements[i + 1].text);
  return fields;
}

std::vector<std::string> DecodeTexts(Reply reply) {
  std::vector<std::string> texts;
  texts.reserve(reply.elements.size());
  for (auto& element : reply.elements) texts.push_back(std::move(element.text));
  return texts;
}

}  // namespace maejin::redis
