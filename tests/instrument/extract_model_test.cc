// The model of small C and C++ programs, compiled here the way culprit-cc captures them.
#include "instrument/extract_model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <unistd.h>

#include <fstream>

#include "base/file.h"
#include "instrument/merge_globals.h"
#include "instrument/model_ids.h"
#include "instrument/normalise.h"
#include "instrument/place_variables.h"
#include "program/model_file.h"
#include "program/print_value.h"
#include "program/program_model.h"
#include "program/source_position.h"
#include "program/type_name.h"

namespace culprit {
namespace {

using namespace format;
using program::ProgramModel;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

enum class Passes { kNone, kVariablesPlaced };

/// A program compiled from source, its module and its model.
class Subject {
 public:
  Subject(const std::string& source, const std::string& extension, Passes passes = Passes::kNone) {
    const std::string folder = fmt::format("{}extract_model_{}", testing::TempDir(), ::getpid());
    std::filesystem::create_directories(folder);
    const std::string file = fmt::format("{}/subject.{}", folder, extension);
    const std::string bitcode = fmt::format("{}/subject.bc", folder);
    std::ofstream(file) << source;
    const std::string compiler = extension == "c" ? "clang-19" : "clang++-19";
    const ProcessEnd end =
        run_process({compiler, "-g", "-O2", "-Xclang", "-disable-llvm-passes", "-Xclang",
                     "-fexperimental-assignment-tracking=disabled", "-emit-llvm", "-c", file, "-o", bitcode});
    EXPECT_EQ(end.exit_status, 0);
    llvm::SMDiagnostic complaint;
    module_ = llvm::parseIRFile(bitcode, complaint, context_);
    std::filesystem::remove_all(folder);
    if (!module_) throw std::runtime_error(complaint.getMessage().str());
    if (passes == Passes::kVariablesPlaced) {
      normalise(*module_);
      merge_globals(*module_);
      place_variables(*module_);
    }
    bytes_ = program::model_bytes(extract_model(*module_));
    model_.emplace(ProgramModel::from_bytes(bytes_, file));
  }

  const ProgramModel& model() const { return *model_; }
  llvm::Module& module() { return *module_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  uint32_t function(const std::string& name) const { return program::find_functions(*model_, name).at(0); }
  std::vector<uint32_t> at_line(uint32_t line) const {
    return program::find_statements(*model_, {.file = model_->file_path(0), .line = line});
  }
  /// "call puts", "assignment x", "branch".
  std::vector<std::string> statements_at(uint32_t line) const {
    std::vector<std::string> texts;
    for (const uint32_t index : at_line(line)) {
      const StatementRecord& statement = model_->statement(index);
      std::string text(program::name_of(statement.kind));
      if (statement.kind == StatementKind::kCall) {
        const CallRecord& call = model_->call(statement.detail);
        text += call.kind == CallKind::kDirect ? fmt::format(" {}", model_->function_name(call.callee))
                                               : fmt::format(" indirect {}", model_->text(call.signature));
      } else if (statement.detail != kNone) {
        text += fmt::format(" {}", model_->text(model_->variable(statement.detail).name));
      }
      texts.push_back(text);
    }
    return texts;
  }
  const VariableRecord& variable(uint32_t statement, const std::string& name) const {
    return model_->variable(program::find_variable(*model_, statement, name).value());
  }
  std::string type_of(uint32_t statement, const std::string& name) const {
    return program::type_name(*model_, variable(statement, name).type);
  }
  /// Conditions that lines' blocks depend on: "line 4 true".
  std::vector<std::string> depends(uint32_t line) const {
    std::vector<std::string> texts;
    for (const auto& each : model_->dependences_of(model_->block_of_statement(at_line(line).at(0)))) {
      const auto statements = model_->statements_of(model_->source_of_edge(each.edge));
      texts.push_back(
          fmt::format("line {} {}", model_->statement(statements.back()).line, model_->edge_text(each.edge)));
    }
    return texts;
  }

 private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::vector<std::byte> bytes_;
  std::optional<ProgramModel> model_;
};

constexpr const char* kLoops = R"(int puts(const char *);
int limit = 10;
int sum(const int *numbers, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) {
    if (numbers[i] > limit)
      break;
    total += numbers[i] * 2 + 1;
  }
  switch (total) {
    case 3:
      puts("three");
      break;
    case -7:
      limit = total;
    default:
      puts("other");
  }
  return total;
}
)";

TEST(ExtractModel, StatementsOfC) {
  const Subject subject(kLoops, "c");
  EXPECT_THAT(subject.statements_at(3), ElementsAre("prologue"));
  EXPECT_THAT(subject.statements_at(4), ElementsAre("assignment total"));
  EXPECT_THAT(subject.statements_at(5), ElementsAre("assignment i", "branch", "jump", "assignment i"));
  EXPECT_THAT(subject.statements_at(6), ElementsAre("branch"));
  EXPECT_THAT(subject.statements_at(7), ElementsAre("jump"));
  EXPECT_THAT(subject.statements_at(8), ElementsAre("assignment total"));
  EXPECT_THAT(subject.statements_at(10), ElementsAre("switch"));
  EXPECT_THAT(subject.statements_at(12), ElementsAre("call puts"));
  EXPECT_THAT(subject.statements_at(15), ElementsAre("assignment limit"));
  EXPECT_THAT(subject.statements_at(19), ElementsAre("return"));
}

TEST(ExtractModel, ControlDependenceAndLoops) {
  const Subject subject(kLoops, "c");
  EXPECT_THAT(subject.depends(8), ElementsAre("line 6 false"));
  EXPECT_THAT(subject.depends(6), ElementsAre("line 5 true"));
  EXPECT_THAT(subject.depends(12), ElementsAre("line 10 case 3"));
  EXPECT_THAT(subject.depends(15), ElementsAre("line 10 case -7"));
  EXPECT_THAT(subject.depends(17), ElementsAre("line 10 default", "line 10 case -7"));
  EXPECT_THAT(subject.depends(19), ElementsAre());
  const ProgramModel& model = subject.model();
  ASSERT_EQ(model.loops_of(subject.function("sum")).size(), 1u);
  const uint32_t header = model.headers_of(0)[0].block;
  EXPECT_EQ(model.statement(*model.statements_of(header).begin()).line, 5u);
  EXPECT_EQ(model.block(model.block_of_statement(subject.at_line(8)[0])).innermost_loop, 0u);
}

TEST(ExtractModel, VariablesScopesAndTypes) {
  const Subject subject(
      R"(struct point { int x, y; unsigned flag : 3, rest : 5; struct point *next; const char name[8]; };
typedef enum { RED, GREEN = 5 } colour;
union either { float f; long l; };
static int counter;
double area(struct point *where, colour paint, int (*compare)(const void *, const void *)) {
  static unsigned char seen = 1;
  union either value = {.l = 3};
  if (where) {
    int where = 4;
    volatile long double wide = where;
    counter += where + seen;
  }
  return value.f + compare(0, &paint);
}
)",
      "c");
  const ProgramModel& model = subject.model();
  const uint32_t inside = subject.at_line(11).at(0);
  const uint32_t outside = subject.at_line(13).at(0);
  EXPECT_EQ(subject.type_of(inside, "where"), "int");
  EXPECT_EQ(subject.type_of(outside, "where"), "point *");
  EXPECT_EQ(subject.variable(outside, "where").argument, 1);
  EXPECT_EQ(subject.type_of(inside, "wide"), "volatile long double");
  EXPECT_EQ(program::find_variable(model, outside, "wide"), std::nullopt);
  EXPECT_EQ(subject.type_of(outside, "paint"), "colour");
  EXPECT_EQ(subject.type_of(outside, "compare"), "int (*)(const void *, const void *)");
  EXPECT_EQ(subject.type_of(outside, "value"), "either");
  EXPECT_EQ(subject.type_of(outside, "seen"), "unsigned char");
  EXPECT_TRUE(subject.variable(outside, "seen").flags & kVariableStaticLocal);
  EXPECT_EQ(subject.variable(outside, "counter").home, HomeKind::kGlobal);
  EXPECT_EQ(model.text(subject.variable(outside, "counter").symbol), "counter");
  EXPECT_THAT(subject.statements_at(13), Contains("call indirect i32 (ptr, ptr)"));

  const uint32_t point = program::stripped_type(model, model.type(subject.variable(outside, "where").type).base);
  std::vector<std::string> members;
  for (const MemberRecord& member : model.members_of(point)) {
    const std::string width = member.flags & kMemberBitfield ? fmt::format(":{}", member.bits) : "";
    members.push_back(fmt::format(
        "{} @{}{}", program::type_name(model, member.type, std::string(model.text(member.name))), member.value, width));
  }
  EXPECT_THAT(members, ElementsAre("int x @0", "int y @32", "unsigned int flag @64:3", "unsigned int rest @67:5",
                                   "point *next @128", "const char name[8] @192"));
  const uint32_t colours = program::stripped_type(model, subject.variable(outside, "paint").type);
  ASSERT_EQ(model.type(colours).kind, TypeKind::kEnumeration);
  EXPECT_EQ(model.members_of(colours)[1].value, 5);
}

TEST(ExtractModel, HomesOfPlacedVariables) {
  const Subject subject(R"(void take(int *, int *);
int first, second;
_Thread_local int third;
int homes(int count) {
  int plain = count;
  int seen = 1, also = 2;
  int variable[count];
  take(&seen, variable);
  take(&also, variable);
  second = plain;
  third = 4;
  return plain + first;
}
)",
                        "c", Passes::kVariablesPlaced);
  const uint32_t statement = subject.at_line(12).at(0);
  EXPECT_EQ(subject.variable(statement, "plain").home, HomeKind::kPrivateSlot);
  EXPECT_EQ(subject.variable(statement, "count").home, HomeKind::kPrivateSlot);
  EXPECT_NE(subject.variable(statement, "plain").offset, subject.variable(statement, "count").offset);
  EXPECT_EQ(subject.variable(statement, "seen").home, HomeKind::kUserStack);
  EXPECT_EQ(subject.variable(statement, "also").home, HomeKind::kUserStack);
  EXPECT_NE(subject.variable(statement, "seen").offset, subject.variable(statement, "also").offset);
  EXPECT_EQ(subject.variable(statement, "variable").home, HomeKind::kComputed);
  EXPECT_EQ(subject.variable(statement, "third").home, HomeKind::kThreadLocal);
  EXPECT_EQ(subject.model().text(subject.variable(statement, "first").symbol),
            subject.model().text(subject.variable(statement, "second").symbol));
  EXPECT_NE(subject.variable(statement, "first").offset, subject.variable(statement, "second").offset);
  EXPECT_THAT(subject.statements_at(6), ElementsAre("assignment seen", "assignment also"));
  EXPECT_THAT(subject.statements_at(10), ElementsAre("assignment second"));
  // What the passes added is in no statement.
  EXPECT_THAT(subject.statements_at(13), Not(Contains("assignment")));
}

TEST(ExtractModel, Cxx) {
  const Subject subject(R"(#include <stdexcept>
namespace shop {
struct Base { virtual ~Base() = default; long id = 1; };
class Item : public Base {
 public:
  explicit Item(int price) : price_(price) {}
  int price() const { return price_; }
 private:
  int price_;
};
int check(const Item& item) {
  if (item.price() < 0)
    throw std::runtime_error("negative");
  return item.price();
}
}
int main(int argc, char**) {
  shop::Item item(argc);
  try {
    return shop::check(item);
  } catch (const std::exception& error) {
    return error.what()[0];
  }
}
)",
                        "cc");
  const ProgramModel& model = subject.model();
  const uint32_t check = subject.function("shop::check");
  EXPECT_EQ(model.function_name(check), "shop::check");
  EXPECT_EQ(subject.function("check"), check);
  EXPECT_EQ(subject.function("shop::check(shop::Item const&)"), check);
  EXPECT_THAT(subject.statements_at(12), ElementsAre("call shop::Item::price", "branch"));
  EXPECT_THAT(subject.statements_at(20), Contains("call shop::check"));

  const uint32_t get = *model.statements_of(*model.blocks_of(subject.function("price")).begin()).begin();
  EXPECT_TRUE(subject.variable(get, "this").flags & kVariableArtificial);
  const uint32_t item = program::stripped_type(model, model.type(subject.variable(get, "this").type).base);
  EXPECT_EQ(model.text(model.type(item).name), "shop::Item");
  std::vector<MemberKind> kinds;
  for (const MemberRecord& member : model.members_of(item)) kinds.push_back(member.kind);
  EXPECT_THAT(kinds, ElementsAre(MemberKind::kBase, MemberKind::kField));

  // The call in the try block returns or unwinds.
  std::vector<std::string> ends;
  for (const uint32_t index : subject.at_line(20)) {
    if (model.statement(index).kind != StatementKind::kCall) continue;
    for (const uint32_t edge : model.edges_of(model.block_of_statement(index))) ends.push_back(model.edge_text(edge));
  }
  EXPECT_THAT(ends, ElementsAre("returned", "unwound"));
}

TEST(ExtractModel, ValuesOfTheStandardLibrary) {
  // The subject's types describe this test's own objects: both are made with the same library.
  const Subject subject(R"(#include <string>
#include <vector>
std::string text;
std::vector<int> numbers;
std::vector<std::string> texts;
int main() { return 0; }
)",
                        "cc");
  const program::MemoryReader own_memory = [](uint64_t address, size_t bytes) {
    const auto* start = reinterpret_cast<const std::byte*>(address);
    return std::optional(std::vector<std::byte>(start, start + bytes));
  };
  const auto print = [&](const char* name, const auto& value) {
    const uint32_t type = subject.variable(subject.at_line(6).at(0), name).type;
    return program::print_value(subject.model(), type, std::as_bytes(std::span(&value, 1)), own_memory);
  };
  const std::vector<std::string> texts{"one", std::string(40, 'x'), ""};
  EXPECT_EQ(print("text", texts[0]), "\"one\"");
  EXPECT_EQ(print("numbers", std::vector<int>{1, 2, 3}), "{1, 2, 3}");
  EXPECT_EQ(print("numbers", std::vector<int>{}), "{}");
  EXPECT_EQ(print("texts", texts), fmt::format("{{\"one\", \"{}\", \"\"}}", texts[1]));
}

TEST(ExtractModel, IrreducibleAndEndlessLoops) {
  const Subject subject(R"(int next(void);
void server(int state) {
  if (state) goto middle;
  for (;;) {
    next();
middle:
    next();
  }
}
)",
                        "c");
  const ProgramModel& model = subject.model();
  const uint32_t server = subject.function("server");
  ASSERT_EQ(model.loops_of(server).size(), 1u);
  const LoopRecord& loop = model.loop(*model.loops_of(server).begin());
  EXPECT_FALSE(loop.flags & kLoopNatural);
  EXPECT_NE(loop.naturalising_header, kNone);
  EXPECT_EQ(model.headers_of(*model.loops_of(server).begin()).size(), 2u);
}

TEST(ExtractModel, ImpossibleEdgesDoNotCount) {
  const Subject subject(R"(int puts(const char *);
int hint(int value) {
  switch (value & 1) {
    case 0: puts("even"); break;
    case 1: puts("odd"); break;
    default: __builtin_unreachable();
  }
  return value;
}
)",
                        "c", Passes::kVariablesPlaced);
  EXPECT_THAT(subject.depends(8), ElementsAre());
  EXPECT_THAT(subject.depends(4), ElementsAre("line 3 case 0"));
}

TEST(ExtractModel, EveryIdIsStampedAndAgreesWithTheModel) {
  Subject subject(kLoops, "c", Passes::kVariablesPlaced);
  const ProgramModel& model = subject.model();
  const auto number = [](const llvm::Instruction& instruction, const char* name) -> std::optional<uint32_t> {
    const llvm::MDNode* node = instruction.getMetadata(name);
    if (!node) return std::nullopt;
    return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue();
  };
  std::vector<bool> seen(model.statements().size(), false);
  uint32_t blocks = 0;
  for (const llvm::Function& function : subject.module()) {
    for (const llvm::BasicBlock& block : function) {
      const auto id = number(*block.getTerminator(), metadata::kBlock);
      ASSERT_EQ(id, blocks++);
      for (const llvm::Instruction& instruction : block) {
        const auto statement = number(instruction, metadata::kStatement);
        if (!statement) continue;
        ASSERT_EQ(model.block_of_statement(*statement), *id);
        seen[*statement] = true;
        const llvm::DebugLoc& position = instruction.getDebugLoc();
        if (llvm::isa<llvm::StoreInst>(instruction) && position) {
          EXPECT_EQ(model.statement(*statement).line, position.getLine());
        }
      }
    }
  }
  EXPECT_EQ(blocks, model.blocks().size());
  EXPECT_THAT(seen, testing::Each(true));
}

TEST(ExtractModel, IsTheSameEveryTime) {
  EXPECT_EQ(Subject(kLoops, "c").bytes(), Subject(kLoops, "c").bytes());
}

}  // namespace
}  // namespace culprit
