// Decides several waiting writes of one kind in one transaction: one COMMIT for all of them, and one
// statement where each would have sent its own.
//
// A failing request does not fail the rest of its batch. A batch that cannot decide all of its members
// decides none of them, or leaves some out; each of those is then decided in a transaction of its own. If it
// is unknown whether the COMMIT of the batch happened, each member is decided alone, too. Answers leave after
// the commit. A request that arrives while no batch runs does not wait for others. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/mysql/pool.h"
#include "base/suspend.h"

namespace maejin::mysql {

template <class Request, class O>
class SharedWrite {
 public:
  struct Member {
    Request request;
    std::optional<O> outcome;  // absent: decide it alone
  };
  using Members = std::vector<Member*>;
  // Decides members in one transaction. False: no member is decided, and the transaction is rolled back.
  using Together = std::function<bool(Connection&, const Members&)>;
  using Alone = std::function<O(Connection&, const Attempt&, const Request&)>;

  // `together` and `alone` may run more than once, on a thread of the pool, until the outcome is known.
  SharedWrite(Pool& pool, Together together, Alone alone)
      : pool_(pool), kind_(std::make_shared<Kind>(std::move(together), std::move(alone))) {}

  // As Pool::Write: a value is committed, a refusal rolled back.
  Task<O> operator()(Request request) {
    const auto outcome = std::make_shared<std::optional<O>>();
    const auto start = [&](Resume resume) {
      const auto answer = [outcome, resume = std::move(resume)](O decided) {
        outcome->emplace(std::move(decided));
        resume();
      };
      pool_.Enqueue(std::make_unique<Waiting>(kind_, std::move(request), answer));
    };
    co_await Suspend(start);
    co_return std::move(**outcome);
  }

 private:
  struct Kind;
  struct Waiting;

  Pool& pool_;
  const std::shared_ptr<Kind> kind_;
};

// One request of a batch, until it is answered.
template <class Request, class O>
struct SharedWrite<Request, O>::Waiting final : Pool::Job {
  Waiting(std::shared_ptr<Kind> of, Request what, std::function<void(O)> then)
      : kind(std::move(of)), member{std::move(what), {}}, answer(std::move(then)) {
    group = kind;
  }
  void Run(Pool& pool, Pool::Worker& worker) override {
    const auto decide = [&](Connection& connection, const Attempt& now) {
      member.outcome.emplace(kind->alone(connection, now, member.request));
      return member.outcome->ok();
    };
    auto refused = pool.RunBody(worker, Pool::Access::kWrite, decide, attempt);
    answer(refused ? O(std::move(*refused)) : std::move(*member.outcome));
  }
  void Refuse(Refused refused) override { answer(O(std::move(refused))); }

  const std::shared_ptr<Kind> kind;
  Member member;
  const std::function<void(O)> answer;
  Attempt attempt;
};

template <class Request, class O>
struct SharedWrite<Request, O>::Kind final : Pool::BatchGroup {
  Kind(Together many, Alone one) : together(std::move(many)), alone(std::move(one)) {}

  Pool::Jobs RunBatch(Pool& pool, Pool::Worker& worker, Pool::Jobs jobs) override {
    Members members;
    for (const auto& job : jobs) members.push_back(&static_cast<Waiting&>(*job).member);
    bool commit_unknown = false;
    const auto decide = [&](Connection& connection, const Attempt& attempt) {
      commit_unknown = attempt.commit_unknown;
      for (auto* member : members) member->outcome.reset();
      const bool decided = !commit_unknown && attempt.number <= kTries && Decide(connection, members);
      if (decided) return true;
      for (auto* member : members) member->outcome.reset();
      return false;
    };
    const auto refused = pool.RunBody(worker, Pool::Access::kWrite, decide);
    Pool::Jobs rest;
    for (auto& job : jobs) {
      auto& waiting = static_cast<Waiting&>(*job);
      if (refused) {
        waiting.Refuse(*refused);
      } else if (waiting.member.outcome) {
        ++pool.shared_;
        waiting.answer(std::move(*waiting.member.outcome));
      } else {
        waiting.attempt.commit_unknown = commit_unknown;
        rest.push_back(std::move(job));
      }
    }
    return rest;
  }

  // An error that one member causes does not fail the others.
  bool Decide(Connection& connection, const Members& members) {
    try {
      return together(connection, members);
    } catch (const MysqlError& error) {
      if (error.IsConflict() || error.IsLost() || error.IsReadOnly()) throw;
      return false;
    }
  }

  // The maximum of attempts at a batch that has conflicts. After them each member is decided alone.
  static constexpr int kTries = 3;
  const Together together;
  const Alone alone;
};

}  // namespace maejin::mysql
