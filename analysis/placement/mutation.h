// Deliberately wrong variants of the rules, to show that the tests can see each rule.
//
// Only the library built for tests (BIGFOOT_MUTATIONS) contains them; everywhere else mutated() is
// the constant false and the wrong code is not compiled in.
#pragma once

#include <array>
#include <cstdint>

namespace bigfoot::placement {

enum class Mutation : std::uint8_t {
  None,
  AcqForgetsChecks,               // [ACQ] places no check
  AcqKeepsAnticipated,            // [ACQ] lets anticipated accesses through
  RelForgetsChecks,               // [REL] places no check
  RelKeepsHistory,                // [REL] keeps past accesses and past checks
  ReadForgetsAccess,              // [READ]/[A-READ] record nothing
  WriteForgetsAccess,             // [WRITE]/[A-WRITE] record nothing
  WriteRecordedAsRead,            // 5.1: a write is recorded as a read
  ReadAnticipatesWrite,           // 5.1: a read is anticipated as a write
  AssignKeepsAnticipated,         // A \ x: facts about x survive its definition
  IfForgetsChecks,                // [IF] places no check at the end of a branch
  IfMeetTakesUnion,               // [IF] keeps what only one branch accessed
  IfAnticipatesOneBranch,         // [IF] anticipates what only one branch accesses
  LoopForgetsBackEdgeChecks,      // [LOOP] places no C_back
  LoopForgetsEntryChecks,         // [LOOP] places no C_in
  LoopTrustsConjectures,          // [LOOP] does not refine H_inv
  LoopTrustsAnticipated,          // [LOOP] does not refine A_inv
  LoopNamesBodyValues,            // [LOOP] H_inv speaks of values the body computes
  CallKillsNothing,               // [CALL] with empty kill sets for the history
  CallKeepsAnticipated,           // [CALL] with an empty KillSetAnticipated
  StmtForgetsChecks,              // [STMT] places no check at the end
  NotermTreatedAsTerminating,     // LOOP-NOTERM not applied
  NoReturnTreatedAsReturning,     // CALL of a function that may not return
  BudgetForgetsChecks,            // BUDGET places no check
  CommonPassesReleases,           // IF-ALL takes checks ahead of a release
  CommonIgnoresOtherWays,         // IF-ALL: other ways may lead to where some of them meet
  CommonReadForWrite,             // IF-ALL: a read's check stands for another way's write
  CoalesceTakesHull,              // coalescing without the exact-set test
  JoinNamesOneBranch,             // what one branch accessed is called sure behind both
  LoopNamesFirstRound,            // what was accessed ahead of a loop is called sure in it
  RedcardIgnoresRelease,          // redcard: a span survives a release
  RedcardReadCoversWrite,         // redcard: a checked read makes a write redundant
  AliasSurvivesWrites,            // alias facts: a write changes nothing
  AliasSurvivesCalls,             // alias facts: what a callee writes changes nothing
  AliasSurvivesReleases,          // alias facts: others write nothing after a release
  FieldProxyNotRefuted,           // every field is a proxy for every other
  FieldProxyReadForWrite,         // a read of the proxy is enough for a write
  FieldProxyTakenForSymmetric,    // one direction is taken for both
  FieldsNotCheckedTogether,       // section 4: a check of one field does not refute the others
  ArrayProxyNotRefuted,           // every relation between indices holds
  ArrayProxyReadForWrite,         // a read of the proxy is enough for a write
  ArrayProxyIgnoresUnknownBases,  // accesses to arrays of unknown origin refute nothing
  kCount
};

constexpr std::array<const char*, static_cast<std::size_t>(Mutation::kCount)> kMutationNames{
    "none",
    "ACQ places no check",
    "ACQ keeps anticipated accesses",
    "REL places no check",
    "REL keeps the history",
    "READ records no access",
    "WRITE records no access",
    "WRITE recorded as a read",
    "READ anticipated as a write",
    "A \\ x keeps facts about x",
    "IF places no check",
    "IF joins histories by union",
    "IF anticipates one branch's accesses",
    "LOOP places no C_back",
    "LOOP places no C_in",
    "LOOP does not refine H_inv",
    "LOOP does not refine A_inv",
    "LOOP names values of the body in H_inv",
    "CALL kills no history",
    "CALL keeps anticipated accesses",
    "STMT places no check",
    "LOOP-NOTERM not applied",
    "CALL ignores that the callee may not return",
    "BUDGET places no check",
    "IF-ALL takes checks ahead of a release",
    "IF-ALL ignores other ways to a join",
    "IF-ALL takes a read's check for a write's",
    "coalescing takes the hull",
    "a join names what one branch accessed",
    "a loop names what was accessed ahead of it",
    "redcard: span survives a release",
    "redcard: a read covers a write",
    "alias facts survive writes",
    "alias facts survive calls that write",
    "alias facts survive releases",
    "field proxies are not refuted",
    "field proxies: a read stands for a write",
    "field proxies: one direction is taken for both",
    "fields checked together: a lone check refutes nothing",
    "array proxies are not refuted",
    "array proxies: a read stands for a write",
    "array proxies: unknown bases refute nothing",
};

#ifdef BIGFOOT_MUTATIONS
Mutation active_mutation();
void activate_mutation(Mutation mutation);
inline bool mutated(Mutation m) {
  return active_mutation() == m;
}
#else
constexpr bool mutated(Mutation) {
  return false;
}
#endif

}  // namespace bigfoot::placement
