#include "adapters/redis/ranking/replies.h"

#include <utility>

namespace maejin::redis {
namespace {

constexpr std::int64_t kIncomplete = -1;
constexpr std::int64_t kNotThere = -2;

}  // namespace

std::vector<AddedRow> DecodeAdd(Reply reply) {
  std::vector<AddedRow> rows;
  rows.reserve(reply.elements.size());
  for (auto& element : reply.elements) {
    if (element.is_text()) {
      rows.push_back({AddedRow::Kind::kDiffers, std::move(element.text)});
    } else {
      const auto code = element.AsInteger();
      rows.push_back({code == 0   ? AddedRow::Kind::kKnown
                      : code == 1 ? AddedRow::Kind::kNew
                                  : AddedRow::Kind::kRepaired});
    }
  }
  return rows;
}

std::optional<Outcome<BoardRows>> DecodeRead(Reply reply) {
  const auto visible = reply.At(0).AsInteger();
  if (visible == kIncomplete) return std::nullopt;
  if (visible == kNotThere) return Outcome<BoardRows>(Refusal::kNotRanked);
  BoardRows rows{visible, reply.At(1).AsInteger(), {}, {}};
  if (reply.elements.size() > 2) rows.orders = DecodeTexts(std::move(reply.elements[2]));
  if (reply.elements.size() > 3) rows.details = DecodeTexts(std::move(reply.elements[3]));
  return Outcome<BoardRows>(std::move(rows));
}

std::vector<std::int64_t> DecodeRanks(const Reply& reply) {
  std::vector<std::int64_t> ranks;
  for (const auto& element : reply.elements) ranks.push_back(element.AsInteger() + 1);
  return ranks;
}

BoardState DecodeState(const Reply& reply) {
  return {.complete = reply.At(0).text == "1",
          .changes = reply.At(1).AsInteger(),
          .pruned_before = reply.At(2).AsInteger(),
          .server = reply.At(3).text};
}

PruneReport DecodeDrop(const Reply& reply) { return {reply.At(0).AsInteger(), reply.At(1).AsInteger()}; }

bool DecodeProgress(const Reply& reply) { return reply.AsInteger() >= 0; }

bool DecodeSuccess(const Reply& reply) { return reply.AsInteger() == 1; }

DetailsPage DecodeDetails(const Reply& reply) {
  DetailsPage page{reply.At(0).text, {}};
  const auto& fields = reply.At(1).elements;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    page.rows.push_back({fields[i].AsInteger(), fields[i + 1].text});
  }
  return page;
}

std::vector<std::string> DecodeTexts(Reply reply) {
  std::vector<std::string> texts;
  texts.reserve(reply.elements.size());
  for (auto& element : reply.elements) texts.push_back(std::move(element.text));
  return texts;
}

}  // namespace maejin::redis
