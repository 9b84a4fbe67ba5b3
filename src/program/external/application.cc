#include "program/external/application.h"

#include <algorithm>

#include "program/external/item_places.h"

namespace culprit::program::external {
namespace {

using Verb = Clause::Verb;
using Form = Item::Form;

bool is_printf(const Item& item) {
  return item.form == Form::kPrintf || item.form == Form::kWidePrintf;
}
bool is_scanf(const Item& item) {
  return item.form == Form::kScanf || item.form == Form::kWideScanf;
}

/// The parameter that an address starts from.
std::optional<uint32_t> base_argument(const Expression& address) {
  const Expression* at = &address;
  while (at->operation == Operation::kAdd || at->operation == Operation::kSubtract) at = &at->operands.front();
  return at->operation == Operation::kArgument ? std::optional(static_cast<uint32_t>(at->number)) : std::nullopt;
}

class Applier {
 public:
  explicit Applier(const Application& application) : application_(application) {}

  CallEffects apply() {
    for (const Clause& clause : application_.description.clauses) {
      certain_ = !clause.may;
      if (!clause.condition.empty()) {
        const auto holds = evaluate(clause.condition.front(), application_);
        if (!holds) certain_ = false;
        if (holds && *holds == 0) continue;
      }
      apply_clause(clause);
    }
    return std::move(result_);
  }

 private:
  ItemPlaces places(const Item& item) {
    ItemPlaces found = places_of(item, application_);
    result_.complete &= found.complete;
    return found;
  }

  /// What a clause without "from" computes from: what the line reads, and the arguments that are no pointers.
  const std::vector<Place>& everything() {
    if (!everything_found_) find_everything();
    return everything_;
  }

  void find_everything() {
    everything_found_ = true;
    const Description& description = application_.description;
    for (uint32_t index = 0; index < application_.call.arguments.size() && index < description.parameters.size();
         ++index) {
      if ((description.pointer_parameters >> index & 1) == 0 && !description.parameters[index].name.starts_with('_')) {
        everything_.push_back({.kind = Place::Kind::kArgument, .argument = index});
      }
    }
    for (const Clause& clause : description.clauses) {
      const bool reads = clause.verb == Verb::kReads;
      const bool takes = clause.verb == Verb::kInputs || clause.verb == Verb::kOutputs ||
                         clause.verb == Verb::kCopies ||
                         (clause.verb == Verb::kWrites && !clause.sources.empty() && is_printf(clause.sources.front()));
      if (!reads && !takes) continue;
      for (const Item& item : reads ? clause.targets : clause.sources) {
        ItemPlaces found = places_of(item, application_);
        everything_address_arguments_ |= found.address_arguments;
        for (Place& place : found.places) {
          if (place.kind != Place::Kind::kConstant) everything_.push_back(std::move(place));
        }
      }
    }
  }

  Effect& add(EffectKind kind, Place target, std::vector<Place> sources, uint64_t address_arguments) {
    Effect effect{.kind = kind, .certain = certain_};
    effect.target = std::move(target);
    effect.sources = std::move(sources);
    effect.address_arguments = address_arguments;
    return result_.effects.emplace_back(std::move(effect));
  }

  void add_read(const Place& place, uint64_t address_arguments) {
    if (place.kind != Place::Kind::kMemory && place.kind != Place::Kind::kState) return;
    for (const Effect& effect : result_.effects) {
      if (effect.kind == EffectKind::kRead && effect.target == place) return;
    }
    add(EffectKind::kRead, place, {}, address_arguments);
  }

  /// The sources of a computation, each of them read.
  ItemPlaces sources_of(const Clause& clause) {
    if (!clause.sources_given) return {everything(), everything_address_arguments_, true};
    ItemPlaces all;
    for (const Item& item : clause.sources) {
      ItemPlaces found = places(item);
      for (const Place& place : found.places) add_read(place, found.address_arguments);
      all.address_arguments |= found.address_arguments;
      all.places.insert(all.places.end(), found.places.begin(), found.places.end());
    }
    return all;
  }

  void apply_clause(const Clause& clause) {
    switch (clause.verb) {
      case Verb::kReads:
        for (const Item& item : clause.targets) {
          const ItemPlaces found = places(item);
          for (const Place& place : found.places) add_read(place, found.address_arguments);
        }
        return;
      case Verb::kWrites:
        return writes(clause);
      case Verb::kClears:
        return for_each_target(clause, EffectKind::kWrite, {}, 0);
      case Verb::kCopies:
        return copies(clause);
      case Verb::kFills:
        return for_each_target(clause, EffectKind::kFill, places(clause.sources.front()).places, 0);
      case Verb::kInputs:
        return inputs(clause);
      case Verb::kOutputs:
        return outputs(clause);
      case Verb::kAllocates:
        return for_each_target(clause, EffectKind::kAllocate, {{.kind = Place::Kind::kOutside}}, 0);
      case Verb::kFrees:
        return frees(clause);
      case Verb::kReturns:
      case Verb::kReturnsInto:
      case Verb::kReturnsOwned:
        return returns(clause);
      case Verb::kCalls:
      case Verb::kStarts:
        return calls(clause);
      case Verb::kAcquires:
        return for_each_target(clause, EffectKind::kAcquire, {}, 0);
      case Verb::kReleases:
        return for_each_target(clause, EffectKind::kRelease, {}, 0);
      case Verb::kJoins:
        return for_each_target(clause, EffectKind::kJoinThread, {}, 0);
      case Verb::kEndsProcess:
        add(EffectKind::kEndProcess, {.kind = Place::Kind::kOutside}, everything(), 0);
        return;
      case Verb::kEndsThread:
        add(EffectKind::kEndThread, {.kind = Place::Kind::kOutside}, everything(), 0);
        return;
      case Verb::kJumps:
        return for_each_target(clause, EffectKind::kJump, everything(), 0);
    }
  }

  void for_each_target(const Clause& clause, EffectKind kind, const std::vector<Place>& sources,
                       uint64_t address_arguments) {
    for (const Item& item : clause.targets) {
      const ItemPlaces found = places(item);
      for (const Place& place : found.places) {
        add(kind, place, sources, found.address_arguments | address_arguments);
      }
      if (is_scanf(item)) allocated_by_scanf(item);
    }
  }

  void allocated_by_scanf(const Item& item) {
    const auto format = evaluate(item.operands.front(), application_);
    const auto arguments = arguments_of(item, application_);
    if (!format || !arguments) return;
    const Scanned scanned = scanf_targets(application_, *format, *arguments, item.form == Form::kWideScanf);
    for (const Place& place : scanned.looked_at) add_read(place, 0);
    for (const Place& place : scanned.allocated) {
      add(EffectKind::kAllocate, place, {{.kind = Place::Kind::kOutside}}, 0);
    }
  }

  void writes(const Clause& clause) {
    if (clause.sources.size() == 1 && is_printf(clause.sources.front())) return writes_text(clause);
    const ItemPlaces sources = sources_of(clause);
    for_each_target(clause, EffectKind::kWrite, sources.places, sources.address_arguments);
  }

  void copies(const Clause& clause) {
    const ItemPlaces from = places(clause.sources.front());
    const auto to = evaluate(clause.value.front(), application_);
    if (!to) result_.complete = false;
    if (!to || *to == 0) return;
    for (const Place& source : from.places) {
      if (source.address == *to) {
        keep(source);
        continue;
      }
      const Place target{.kind = Place::Kind::kMemory, .address = *to, .bytes = source.bytes};
      add(EffectKind::kCopy, target, {source}, from.address_arguments | arguments_in(clause.value.front()));
    }
  }

  /// Of a block that realloc left in its place, only what is behind the old one is fresh.
  void keep(const Place& old) {
    const auto is_block = [&old](const Effect& each) {
      return each.kind == EffectKind::kAllocate && each.target.address == old.address && each.target.bytes;
    };
    const auto block = std::find_if(result_.effects.begin(), result_.effects.end(), is_block);
    if (block == result_.effects.end()) return;
    block->offset = std::min(old.bytes.value_or(*block->target.bytes), *block->target.bytes);
  }

  void inputs(const Clause& clause) {
    const ItemPlaces from = places(clause.sources.front());
    add_read(from.places.front(), from.address_arguments);
    for (const Item& item : clause.targets) {
      const ItemPlaces found = places(item);
      for (const Place& place : found.places) {
        Place source = from.places.front();
        source.bytes = place.kind == Place::Kind::kResult ? std::optional<uint64_t>(1) : place.bytes;
        const bool ended =
            place.kind == Place::Kind::kResult && static_cast<int64_t>(application_.result().value_or(0)) < 0;
        add(ended ? EffectKind::kReturn : EffectKind::kInput, place, {source},
            found.address_arguments | from.address_arguments);
      }
      if (is_scanf(item)) allocated_by_scanf(item);
    }
  }

  void outputs(const Clause& clause) {
    const ItemPlaces to = places(clause.targets.front());
    std::vector<Piece> pieces;
    uint64_t address_arguments = to.address_arguments;
    for (const Item& item : clause.sources) {
      if (is_printf(item)) {
        const Formatted formatted = read_printf(item);
        pieces.insert(pieces.end(), formatted.pieces.begin(), formatted.pieces.end());
        if (!formatted.complete) pieces.push_back({std::nullopt, false, everything()});
        continue;
      }
      const ItemPlaces found = places(item);
      address_arguments |= found.address_arguments;
      for (const Place& place : found.places) {
        const bool constant = place.kind == Place::Kind::kConstant;
        pieces.push_back({place.bytes, !constant, constant ? std::vector<Place>{} : std::vector{place}});
      }
    }
    const bool counted = clause.sources.size() == 1 && is_printf(clause.sources.front());
    std::optional<uint64_t> total;
    if (counted) total = application_.result();
    if (total && static_cast<int64_t>(*total) < 0) return;
    uint64_t offset = 0;
    for (const Piece& piece : placed(std::move(pieces), total)) {
      Place target = to.places.front();
      target.bytes = piece.bytes;
      Effect& effect = add(EffectKind::kOutput, target, piece.sources, address_arguments);
      effect.unchanged = piece.unchanged;
      effect.offset = offset;
      offset += piece.bytes.value_or(0);
    }
  }

  /// Reads a printf's format and strings, writes what %n counts.
  Formatted read_printf(const Item& item) {
    const auto format = evaluate(item.operands.front(), application_);
    const auto arguments = arguments_of(item, application_);
    if (!format || !arguments) {
      result_.complete = false;
      return {.pieces = {}, .looked_at = {}, .counts = {}, .complete = false};
    }
    Formatted formatted = printf_pieces(application_, *format, *arguments, item.form == Form::kWidePrintf);
    result_.complete &= formatted.complete;
    for (const Place& place : formatted.looked_at) add_read(place, arguments_in(item.operands.front()));
    for (const Place& place : formatted.counts) add(EffectKind::kWrite, place, everything(), 0);
    return formatted;
  }

  /// A buffer that gets what a printf makes, cut to its size, and a terminator at its end.
  void writes_text(const Clause& clause) {
    const Item& item = clause.sources.front();
    const uint64_t terminator = item.form == Form::kWidePrintf ? sizeof(wchar_t) : 1;
    const Formatted formatted = read_printf(item);
    std::optional<uint64_t> total;
    if (item.form == Form::kPrintf) total = application_.result();
    std::vector<Piece> pieces = formatted.pieces;
    if (!formatted.complete) pieces.push_back({std::nullopt, false, everything()});
    pieces = placed(std::move(pieces), total);
    for (const Item& target : clause.targets) {
      const ItemPlaces found = places(target);
      for (const Place& buffer : found.places) {
        if (buffer.kind != Place::Kind::kMemory) continue;
        write_pieces(buffer, pieces, terminator, found.address_arguments);
      }
    }
  }

  void write_pieces(const Place& buffer, const std::vector<Piece>& pieces, uint64_t terminator,
                    uint64_t address_arguments) {
    const bool known =
        buffer.bytes && std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.bytes; });
    if (!known) {
      add(EffectKind::kWrite, buffer, everything(), address_arguments);
      return;
    }
    uint64_t offset = 0;
    const uint64_t room = *buffer.bytes - std::min(*buffer.bytes, terminator);
    for (const Piece& piece : pieces) {
      const uint64_t bytes = std::min(*piece.bytes, room - offset);
      if (bytes == 0) continue;
      std::vector<Place> sources = piece.sources;
      const bool copies = piece.unchanged && sources.size() == 1 && sources.front().kind == Place::Kind::kMemory;
      const bool fills = piece.unchanged && sources.size() == 1 && sources.front().kind == Place::Kind::kArgument;
      if (copies) sources.front().bytes = bytes;
      const Place target{.kind = Place::Kind::kMemory, .address = buffer.address + offset, .bytes = bytes};
      add(copies  ? EffectKind::kCopy
          : fills ? EffectKind::kFill
                  : EffectKind::kWrite,
          target, sources, address_arguments);
      offset += bytes;
    }
    const Place end{.kind = Place::Kind::kMemory, .address = buffer.address + offset, .bytes = *buffer.bytes - offset};
    add(EffectKind::kWrite, end, {}, address_arguments);
  }

  void frees(const Clause& clause) {
    const auto address = evaluate(clause.value.front(), application_);
    if (!address) result_.complete = false;
    if (!address || *address == 0) return;
    const Place target{
        .kind = Place::Kind::kMemory, .address = *address, .bytes = application_.memory.block_bytes(*address)};
    add(EffectKind::kFree, target, {}, arguments_in(clause.value.front()));
  }

  void returns(const Clause& clause) {
    const Place result{.kind = Place::Kind::kResult};
    const auto returned = application_.result();
    const bool null = clause.or_null && returned && *returned == 0;
    const Expression* value = clause.value.empty() || null ? nullptr : &clause.value.front();
    const auto base = value ? base_argument(*value) : std::nullopt;
    if (base && clause.verb == Verb::kReturns && value->operation == Operation::kArgument) {
      add(EffectKind::kReturnCopy, result, {{.kind = Place::Kind::kArgument, .argument = *base}}, 0);
      return;
    }
    const ItemPlaces sources = sources_of(clause);
    std::vector<Place> from;
    if (base) from.push_back({.kind = Place::Kind::kArgument, .argument = *base});
    from.insert(from.end(), sources.places.begin(), sources.places.end());
    add(base ? EffectKind::kReturnPoint : EffectKind::kReturn, result, std::move(from),
        sources.address_arguments | (value ? arguments_in(*value) : 0));
  }

  void calls(const Clause& clause) {
    std::vector<Place> passed;
    uint64_t address_arguments = 0;
    for (const Item& item : clause.sources) {
      ItemPlaces found = places(item);
      address_arguments |= found.address_arguments;
      passed.insert(passed.end(), found.places.begin(), found.places.end());
    }
    const Item& called = clause.targets.front();
    if (application_.argument(called.argument).value_or(1) == 0) return;
    Effect& effect = add(clause.verb == Verb::kStarts ? EffectKind::kStartThread : EffectKind::kCallback,
                         places(called).places.front(), std::move(passed), address_arguments);
    effect.unchanged = clause.later;
  }

  const Application& application_;
  CallEffects result_;
  bool certain_ = true;  ///< of the clause being applied
  bool everything_found_ = false;
  std::vector<Place> everything_;
  uint64_t everything_address_arguments_ = 0;
};

}  // namespace

CallEffects apply(const Description& description, const ExternalCall& call, const CalledMemory& memory) {
  return Applier({description, call, memory}).apply();
}

}  // namespace culprit::program::external
