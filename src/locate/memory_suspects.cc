#include "locate/memory_suspects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "locate/findings.h"
#include "locate/own_statements.h"

namespace culprit {
namespace {

constexpr size_t kMostReleasing = 2;  // calls around a release, or a use of what was released
constexpr double kRepairs = 1.5;
constexpr double kRaced = 80, kRacedAlways = 24, kRacingRead = 0.75;

class OfMemory : SuspectSource {
 public:
  explicit OfMemory(SuspectRanking& ranking) : SuspectSource(ranking) {}

  void add_all() {
    add_heap_faults();
    add_array_bounds();
    add_uninitialised_reads();
    add_races();
  }

 private:
  void add_heap_faults() {
    for (const HeapFault& fault : evidence_.heap) {
      // Without it the run succeeds: nothing else proves so much.
      const double weight = fault.repairs ? kRepairs : 1;
      const std::vector<uint32_t> access = statements_of(fault.access);
      const uint32_t used = own_statement(model_, access);
      const uint32_t allocated = own_statement(model_, fault.allocated);
      switch (fault.error) {
        case HeapError::kOutOfBounds:
          if (fault.variable) {
            const std::string_view name = model_.text(model_.variable(*fault.variable).name);
            add_statement(used, 100, fmt::format("it accesses more than `{}` has", name));
            add(place_of_declaration(model_, *fault.variable, fault.function), 60,
                fmt::format("`{}`, which is too small, is declared here", name));
            break;
          }
          add_statement(used, 100 * weight, "it accesses memory outside a heap block");
          add_statement(allocated, (fault.offset && *fault.offset < 0 ? 40 : 60) * weight,
                        fault.offset && *fault.offset < 0 ? "the block that begins behind it is allocated here"
                                                          : "the block that is too small is allocated here");
          break;
        case HeapError::kFreedInside:
          add_statement(used, 100 * weight, "it frees what does not begin a heap block");
          add_statement(allocated, 40 * weight, "that heap block is allocated here");
          break;
        case HeapError::kUsedAfterFree:
        case HeapError::kFreedTwice: {
          const uint32_t freed = release_to_blame(model_, fault);
          add_statement(freed, 100 * weight, "the heap block that is used later is freed here");
          // Not knowing the access it is not known which of the calls around the release is to blame.
          if (access.empty()) {
            add_callers(fault.freed, freed, 70, "by this call the heap block is freed that is used later");
          } else {
            add_callers(access, used, 50 * weight, "by this call a heap block is used that was freed");
            add_releases(fault.freed, freed, 50 * weight);
          }
          add_statement(used, 80 * weight,
                        fault.error == HeapError::kFreedTwice ? "it frees a heap block once more"
                                                              : "it uses a heap block that was freed");
          if (fault.first_different_branch) {
            add(place_of_branch(model_, *fault.first_different_branch), 80,
                "this branch depends on a heap block that was freed");
          }
          add_statement(allocated, 40 * weight, "that heap block is allocated here");
          break;
        }
        case HeapError::kUsedAfterReturn: {
          const std::string_view name = model_.text(model_.variable(*fault.variable).name);
          add_statement(allocated, 100, fmt::format("the address of `{}` is passed on here, and outlives it", name));
          add_statement(used, 70, fmt::format("it uses `{}` of a function that has returned", name));
          add(place_of_declaration(model_, *fault.variable, fault.function), 60,
              fmt::format("`{}`, which is used later, exists until its function returns", name));
          break;
        }
        case HeapError::kUninitialised:
          add_statement(allocated, 90, "memory allocated here is read before anything was stored in it");
          if (fault.first_different_branch) {
            add(place_of_branch(model_, *fault.first_different_branch), 70,
                "this branch depends on memory that was never written");
          }
          break;
      }
    }
  }

  /// The way from the call that is to blame to the release itself, from the outside.
  void add_releases(const std::vector<uint32_t>& statements, uint32_t from, double score) {
    for (auto call = std::find(statements.rbegin(), statements.rend(), from); call != statements.rend(); ++call) {
      if (*call == from || !is_own_statement(model_, *call)) continue;
      add_statement(*call, score, "on this way the heap block is freed that is used later");
      score *= kNextOfKind;
    }
  }

  void add_callers(const std::vector<uint32_t>& statements, uint32_t of, double score, const char* why) {
    auto caller = std::find(statements.begin(), statements.end(), of);
    for (size_t told = 0; caller != statements.end() && ++caller != statements.end() && told < kMostReleasing; ++told) {
      add_statement(*caller, score, why);
      score *= kNextOfKind;
    }
  }

  void add_array_bounds() {
    if (!evidence_.bounds) return;
    const BoundsFault& fault = *evidence_.bounds;
    add_statement(fault.statement, fault.repairs ? 100 : 50, "it accesses an element that the array does not have");
    // What let it be executed did not look at the index well enough.
    for (const auto& dependence : model_.dependences_of(model_.block_of_statement(fault.statement))) {
      add(place_of_branch(model_, model_.source_of_edge(dependence.edge)), fault.repairs ? 60 : 30,
          "this branch decided that an element is accessed which the array does not have");
    }
  }

  /// What the failure depended on; where it is not known what it depended on, all there are.
  void add_uninitialised_reads() {
    if (!evidence_.uninitialised) return;
    double weight = 1;
    for (const UninitialisedRead& read : *evidence_.uninitialised) {
      const std::string name = fmt::format("`{}`", model_.text(model_.variable(read.variable).name));
      add_statement(read.statement, 90 * weight, fmt::format("it reads {}, which was never given a value", name));
      if (read.passed_on_by) {
        add_statement(*read.passed_on_by, 95 * weight, fmt::format("{} has no value when it is handed on here", name));
      }
      add(place_of_declaration(model_, read.variable, read.function), 85 * weight,
          fmt::format("{} is declared here and read before it was given a value", name));
      if (read.skipped) {
        add(place_of_branch(model_, read.skipped->branch), 88 * weight,
            fmt::format("this branch went past what would have given {} a value", name));
      }
      weight *= kNextOfKind;
    }
  }

  /// Where runs differ, a race is what makes them differ. Else it may be harmless.
  void add_races() {
    double score = evidence_.differs ? kRaced : kRacedAlways;
    for (const RacingAccesses& race : evidence_.races) {
      const std::string name = name_of_raced(model_, race);
      for (const RacingAccess* each : {&race.first, &race.second}) {
        add_statement(each->statement, each->writes ? score : score * kRacingRead,
                      fmt::format("nothing orders that {} is {} here and that another thread {} it", name,
                                  each->writes ? "written" : "read",
                                  (each == &race.first ? race.second : race.first).writes ? "writes" : "reads"));
      }
      score *= kNextOfKind;
    }
  }
};

}  // namespace

void add_memory_suspects(SuspectRanking& ranking) {
  OfMemory(ranking).add_all();
}

}  // namespace culprit
