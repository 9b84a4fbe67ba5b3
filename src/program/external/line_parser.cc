#include "program/external/line_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "program/external/expression_parser.h"

namespace culprit::program::external {
namespace {

using Verb = Clause::Verb;
using Form = Item::Form;

constexpr size_t kMostParameters = 32;

struct NamedForm {
  std::string_view name;
  Form form;
  size_t least, most;  ///< operands
};

constexpr NamedForm kForms[] = {
    {"printf", Form::kPrintf, 1, 2},    {"scanf", Form::kScanf, 1, 2},     {"wprintf", Form::kWidePrintf, 1, 2},
    {"wscanf", Form::kWideScanf, 1, 2}, {"vectors", Form::kVectors, 2, 3}, {"strings", Form::kStrings, 1, 1},
    {"string", Form::kCxxString, 1, 1},
};

constexpr std::pair<std::string_view, ValueType> kTypes[] = {
    {"int", ValueType::kInt},       {"unsigned", ValueType::kUnsigned},  {"float", ValueType::kFloat},
    {"double", ValueType::kDouble}, {"ldouble", ValueType::kLongDouble}, {"word", ValueType::kWord},
    {"void", ValueType::kVoid},
};

std::optional<ValueType> type_called(std::string_view name) {
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

bool uses_result(const Expression& expression) {
  return expression.operation == Operation::kResult ||
         std::any_of(expression.operands.begin(), expression.operands.end(), uses_result);
}

class LineParser {
 public:
  LineParser(std::string_view line, const StateNames& states)
      : reader_(tokens_of(line)), expressions_(reader_, description_.parameters), states_(states) {}

  std::vector<Description> parse() {
    std::vector<std::string> names;
    do {
      names.push_back(reader_.expect_name("a function's name"));
    } while (reader_.accept(","));
    parameters();
    if (reader_.accept("->")) {
      const std::string name = reader_.expect_name("a type");
      const auto type = type_called(name);
      if (!type) throw LineError(fmt::format("there is no type '{}'", name));
      description_.result = *type;
      typed_ = true;
    }
    reader_.expect(":");
    if (!reader_.accept("nothing")) {
      do {
        description_.clauses.push_back(clause());
      } while (reader_.accept(";"));
    }
    if (!reader_.at_end()) throw LineError(fmt::format("unexpected '{}'", reader_.peek().text));
    finish();
    std::vector<Description> descriptions;
    for (std::string& name : names) {
      descriptions.push_back(description_);
      descriptions.back().name = std::move(name);
    }
    return descriptions;
  }

 private:
  void parameters() {
    reader_.expect("(");
    if (reader_.accept(")")) return;
    do {
      if (reader_.accept("...")) {
        description_.variadic = true;
        break;
      }
      Parameter parameter{ValueType::kWord, reader_.expect_name("a parameter")};
      if (const auto type = type_called(parameter.name); type && reader_.peek().kind == Token::Kind::kName) {
        parameter = {*type, reader_.take().text};
      }
      if (type_called(parameter.name) || parameter.name == "ret" || parameter.name == "str") {
        throw LineError(fmt::format("a parameter cannot be called '{}'", parameter.name));
      }
      for (const Parameter& other : description_.parameters) {
        if (other.name == parameter.name && parameter.name != "_") {
          throw LineError(fmt::format("two parameters are called '{}'", parameter.name));
        }
      }
      description_.parameters.push_back(std::move(parameter));
    } while (reader_.accept(","));
    if (description_.parameters.size() > kMostParameters) throw LineError("too many parameters");
    reader_.expect(")");
  }

  Clause clause() {
    Clause clause;
    clause.may = reader_.accept("may");
    const std::string word = reader_.expect_name("a verb");
    const std::string verb = clause.may ? word + "s" : word;  // "may write"
    if (verb == "reads") {
      clause.verb = Verb::kReads;
      clause.targets = items();
    } else if (verb == "writes") {
      clause.verb = Verb::kWrites;
      clause.targets = items();
      from(clause);
    } else if (verb == "clears") {
      clause.verb = Verb::kClears;
      clause.targets = items();
    } else if (verb == "copies") {
      clause.verb = Verb::kCopies;
      clause.sources = items();
      reader_.expect("to");
      clause.value.push_back(expressions_.expression());
    } else if (verb == "fills") {
      clause.verb = Verb::kFills;
      clause.targets = items();
      reader_.expect("with");
      clause.sources = items();
    } else if (verb == "inputs") {
      clause.verb = Verb::kInputs;
      clause.targets = items();
      reader_.expect("from");
      clause.sources.push_back(state());
    } else if (verb == "outputs") {
      clause.verb = Verb::kOutputs;
      clause.sources = items();
      reader_.expect("to");
      clause.targets.push_back(state());
    } else if (verb == "allocates") {
      clause.verb = Verb::kAllocates;
      clause.targets = items();
    } else if (verb == "frees") {
      clause.verb = Verb::kFrees;
      clause.value.push_back(expressions_.expression());
    } else if (verb == "returns") {
      returns(clause);
    } else if (verb == "calls" || verb == "starts") {
      clause.verb = verb == "calls" ? Verb::kCalls : Verb::kStarts;
      clause.targets.push_back(argument(reader_.expect_name("the called parameter")));
      reader_.expect("(");
      if (!reader_.is_mark(")")) clause.sources = items();
      reader_.expect(")");
      clause.later = reader_.accept("later");
    } else if (verb == "acquires" || verb == "releases" || verb == "joins") {
      clause.verb = verb == "acquires" ? Verb::kAcquires : verb == "releases" ? Verb::kReleases : Verb::kJoins;
      clause.targets.push_back(state());
    } else if (verb == "ends") {
      clause.verb = reader_.accept("thread") ? Verb::kEndsThread : Verb::kEndsProcess;
      if (clause.verb == Verb::kEndsProcess) reader_.expect("process");
    } else if (verb == "jumps") {
      clause.verb = Verb::kJumps;
      reader_.expect("by");
      clause.targets = items();
    } else {
      throw LineError(fmt::format("there is no verb '{}'", word));
    }
    if (reader_.accept("if")) clause.condition.push_back(expressions_.expression());
    return clause;
  }

  void from(Clause& clause) {
    if (!reader_.accept("from")) return;
    clause.sources_given = true;
    if (!reader_.accept("nothing")) clause.sources = items();
  }

  void returns(Clause& clause) {
    clause.verb = Verb::kReturns;
    if (reader_.accept("owned")) {
      clause.verb = Verb::kReturnsOwned;
    } else if (reader_.accept("into")) {
      clause.verb = Verb::kReturnsInto;
      clause.value.push_back(expressions_.expression());
    } else if (!reader_.is_name("from") && !reader_.is_name("if") && !reader_.is_mark(";") && !reader_.at_end()) {
      clause.value.push_back(expressions_.expression());
    }
    if (reader_.accept("or")) {
      reader_.expect("null");
      clause.or_null = true;
    }
    from(clause);
  }

  std::vector<Item> items() {
    std::vector<Item> items;
    do {
      items.push_back(item());
    } while (reader_.accept(","));
    return items;
  }

  Item item() {
    if (reader_.is_mark("@")) return state();
    if (reader_.peek().kind == Token::Kind::kText) {
      Item text{.form = Form::kText};
      text.text = reader_.take().text;
      return text;
    }
    if (reader_.accept("some")) return {.form = Form::kUnknown};
    if (reader_.is_name("byte") && reader_.is_mark("(", 1)) {
      reader_.take();
      reader_.take();
      Item byte = argument(reader_.expect_name("a parameter"));
      byte.form = Form::kByte;
      reader_.expect(")");
      return byte;
    }
    for (const NamedForm& form : kForms) {
      if (reader_.is_name(form.name) && (reader_.is_mark("(", 1) || reader_.is_mark("'", 1))) return named(form);
    }
    Expression address = expressions_.operand();
    if (reader_.accept("[")) {
      Item range{.form = Form::kBytes};
      Expression size = expressions_.size(address);
      range.operands = {std::move(address), std::move(size)};
      reader_.expect("]");
      return range;
    }
    if (address.operation == Operation::kResult) return {.form = Form::kResult};
    if (address.operation != Operation::kArgument) throw LineError("a range of memory needs its size in brackets");
    return {.form = Form::kArgument, .after = false, .argument = static_cast<uint32_t>(address.number)};
  }

  Item named(const NamedForm& form) {
    Item item{.form = form.form};
    reader_.take();
    item.after = reader_.accept("'");
    reader_.expect("(");
    do {
      item.operands.push_back(expressions_.expression());
    } while (reader_.accept(","));
    reader_.expect(")");
    if (item.operands.size() < form.least || item.operands.size() > form.most) {
      throw LineError(fmt::format("'{}' does not take {} operands", form.name, item.operands.size()));
    }
    const bool takes_variadic = form.form == Form::kPrintf || form.form == Form::kScanf ||
                                form.form == Form::kWidePrintf || form.form == Form::kWideScanf;
    if (takes_variadic && item.operands.size() == 1 && !description_.variadic) {
      throw LineError(fmt::format("'{}' needs a list of arguments, as the function is not variadic", form.name));
    }
    return item;
  }

  Item state() {
    reader_.expect("@");
    Item item{.form = Form::kState};
    item.text = reader_.expect_name("a state");
    if (!states_.contains(item.text)) throw LineError(fmt::format("no state @{} is declared", item.text));
    if (reader_.accept("(")) {
      item.operands.push_back(expressions_.expression());
      reader_.expect(")");
    }
    return item;
  }

  Item argument(const std::string& name) {
    return {.form = Form::kArgument, .after = false, .argument = expressions_.parameter(name)};
  }

  /// What only the whole line shows: which parameters are used, and how.
  void finish() {
    uint64_t used = 0;
    bool takes_all = false;
    bool has_result = typed_;
    for (const Clause& clause : description_.clauses) {
      check(clause);
      for_each_expression(clause, [&](const Expression& expression) {
        used |= arguments_in(expression);
        has_result |= uses_result(expression);
      });
      for (const auto* items : {&clause.targets, &clause.sources}) {
        for (const Item& item : *items) {
          if (item.form == Form::kArgument || item.form == Form::kByte) used |= uint64_t{1} << item.argument;
          has_result |= item.form == Form::kResult;
          if (item.operands.empty() || item.form == Form::kState) continue;
          mark_bases(item.operands.front(), description_.pointer_parameters, true);
          if (items == &clause.targets && item.form == Form::kBytes && writes(clause.verb)) {
            mark_bases(item.operands.front(), description_.written_parameters, false);
          }
        }
      }
      if ((clause.verb == Verb::kCopies || clause.verb == Verb::kFrees || clause.verb == Verb::kReturnsInto) &&
          !clause.value.empty()) {
        mark_bases(clause.value.front(), description_.pointer_parameters, true);
      }
      if (clause.verb == Verb::kCopies) mark_bases(clause.value.front(), description_.written_parameters, false);
      const bool computes =
          clause.verb == Verb::kWrites || clause.verb == Verb::kReturns || clause.verb == Verb::kReturnsOwned;
      const bool into = clause.verb == Verb::kReturnsInto;
      has_result |= into || clause.verb == Verb::kReturns || clause.verb == Verb::kReturnsOwned;
      takes_all |= clause.verb == Verb::kEndsProcess || clause.verb == Verb::kJumps;
      takes_all |= !clause.sources_given && (into || (computes && clause.value.empty()));
    }
    if (!has_result) description_.result = ValueType::kVoid;
    for (size_t index = 0; index < description_.parameters.size(); ++index) {
      const std::string& name = description_.parameters[index].name;
      if (name.starts_with('_') || takes_all || (used >> index & 1) != 0) continue;
      throw LineError(fmt::format("the parameter '{}' is not used", name));
    }
  }

  void check(const Clause& clause) const {
    for (const Item& item : clause.targets) {
      const bool written = clause.verb == Verb::kWrites || clause.verb == Verb::kInputs;
      if (written && (item.form == Form::kText || item.form == Form::kArgument || item.form == Form::kByte)) {
        throw LineError("a parameter's value or a text cannot be written");
      }
      if (clause.verb == Verb::kAllocates && item.form != Form::kBytes)
        throw LineError("allocates takes ADDRESS[SIZE]");
    }
    for (const Item& item : clause.sources) {
      if (clause.verb == Verb::kCopies && item.form != Form::kBytes) throw LineError("copies takes ADDRESS[SIZE]");
      if (item.form == Form::kResult) throw LineError("the result is no source");
    }
    if (clause.verb == Verb::kCopies && clause.sources.size() != 1) throw LineError("copies takes one range");
  }

  static bool writes(Verb verb) {
    return verb == Verb::kWrites || verb == Verb::kClears || verb == Verb::kFills || verb == Verb::kInputs;
  }

  /// The parameters that an address starts from; with `through`, also where it goes on from a loaded pointer.
  static void mark_bases(const Expression& address, uint64_t& marks, bool through) {
    const Expression* at = &address;
    while (!at->operands.empty() && (at->operation == Operation::kAdd || at->operation == Operation::kSubtract ||
                                     (through && at->operation == Operation::kLoad))) {
      at = &at->operands.front();
    }
    if (at->operation == Operation::kChoose) {
      mark_bases(at->operands[1], marks, through);
      mark_bases(at->operands[2], marks, through);
    }
    if (at->operation == Operation::kArgument) marks |= uint64_t{1} << at->number;
  }

  Description description_;
  bool typed_ = false;  ///< the line names the result's type
  TokenReader reader_;
  ExpressionParser expressions_;
  const StateNames& states_;
};

}  // namespace

std::string_view name_of(ValueType type) {
  for (const auto& [name, known] : kTypes) {
    if (known == type) return name;
  }
  CULPRIT_ASSERT(false, "a type without a name");
}

std::string declared_state(std::string_view line) {
  TokenReader reader(tokens_of(line.substr(0, line.find(':') + 1)));
  reader.expect("state");
  reader.expect("@");
  std::string name = reader.expect_name("a state's name");
  if (reader.accept("(")) {
    reader.expect_name("what tells the states apart");
    reader.expect(")");
  }
  reader.expect(":");
  if (!reader.at_end()) throw LineError(fmt::format("unexpected '{}'", reader.peek().text));
  return name;
}

std::vector<Description> parse_line(std::string_view line, const StateNames& states) {
  return LineParser(line, states).parse();
}

}  // namespace culprit::program::external
