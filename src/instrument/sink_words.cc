#include "instrument/sink_words.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "instrument/call_offsets.h"
#include "instrument/flow_of_function.h"
#include "program/execution_order.h"
#include "program/loop_forest.h"

namespace culprit {
namespace {

constexpr int64_t kWordBytes = sizeof(uint64_t);

class Words {
 public:
  Words(llvm::Function& function, const std::vector<WordStore>& stores, const std::vector<WordsReader>& readers,
        llvm::Constant* top)
      : function_(function), stores_(stores), readers_(readers), top_(top) {
    for (const WordStore& each : stores) {
      written_[each.store] = static_cast<size_t>(each.place / kWordBytes);
      words_ = std::max<size_t>(words_, each.place / kWordBytes + 1);
    }
    for (const WordsReader& each : readers) below_top_[each.call] = static_cast<size_t>(each.top / kWordBytes);
  }

  std::vector<std::pair<llvm::LoadInst*, int64_t>> sink() {
    find_contents();
    find_sinkable();
    if (llvm::none_of(sinkable_, [](bool each) { return each; })) return {};
    take_out_stores();
    write_before_loops();
    write_before_readers();
    return std::move(loads_);
  }

 private:
  /// By word; null: anything.
  using Content = std::vector<llvm::Value*>;
  using AtReader = std::function<void(llvm::CallBase&, Content&)>;

  size_t words_below(const llvm::CallBase& call) const { return std::min(below_top_.lookup(&call), words_); }

  static void forget(Content& content, const llvm::Value& value) {
    std::ranges::replace(content, const_cast<llvm::Value*>(&value), static_cast<llvm::Value*>(nullptr));
  }

  void pass(llvm::BasicBlock& block, Content& content, const AtReader& at_reader) const {
    if (block.isEHPad()) std::ranges::fill(content, nullptr);
    for (llvm::Instruction& instruction : block) {
      // In the next iteration the value is another one.
      if (!instruction.getType()->isVoidTy()) forget(content, instruction);
      const auto written = written_.find(&instruction);
      if (written != written_.end()) content[written->second] = llvm::cast<llvm::StoreInst>(instruction).getValueOperand();
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && below_top_.contains(call)) at_reader(*call, content);
    }
  }

  /// What words hold where each block is entered: less is known until nothing changes.
  llvm::DenseMap<llvm::BasicBlock*, Content> flow(const AtReader& at_reader) const {
    llvm::DenseMap<llvm::BasicBlock*, Content> at_entry;
    std::vector<llvm::BasicBlock*> open{&function_.getEntryBlock()};
    at_entry[open.back()] = Content(words_, nullptr);
    while (!open.empty()) {
      llvm::BasicBlock* block = open.back();
      open.pop_back();
      Content content = at_entry[block];
      pass(*block, content, at_reader);
      for (llvm::BasicBlock* next : llvm::successors(block)) {
        const auto [known, is_new] = at_entry.try_emplace(next, content);
        bool changed = is_new;
        for (size_t word = 0; !is_new && word < words_; ++word) {
          if (!known->second[word] || known->second[word] == content[word]) continue;
          known->second[word] = nullptr;
          changed = true;
        }
        if (changed) open.push_back(next);
      }
    }
    return at_entry;
  }

  /// What the program has written, whoever changed it since: where callees count entries it is written anew before it
  /// is read.
  void find_contents() {
    const AtReader leave = [&](llvm::CallBase& call, Content& content) {
      std::fill(content.begin() + static_cast<std::ptrdiff_t>(words_below(call)), content.end(), nullptr);
    };
    for (auto& [block, content] : flow(leave)) {
      Content now = content;
      pass(*block, now, [&](llvm::CallBase& call, Content& at_call) {
        wanted_[&call] = at_call;
        leave(call, at_call);
      });
      at_end_[block] = std::move(now);
    }
  }

  void find_sinkable() {
    sinkable_.assign(words_, true);
    for (const WordsReader& each : readers_) {
      const auto wanted = wanted_.find(each.call);
      for (size_t word = 0; word < words_below(*each.call); ++word) {
        if (wanted == wanted_.end() || !wanted->second[word]) sinkable_[word] = false;
      }
    }
  }

  void take_out_stores() {
    llvm::SmallVector<llvm::WeakTrackingVH, 32> addresses;
    for (const WordStore& each : stores_) {
      if (!sinkable_[each.place / kWordBytes]) continue;
      written_.erase(each.store);
      addresses.emplace_back(each.store->getPointerOperand());
      each.store->eraseFromParent();
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(addresses);
  }

  /// Outer loops first; what is held since then need not be written before inner ones.
  void write_before_loops() {
    const FunctionFlow flow = flow_of(function_);
    const program::LoopForest forest = program::loop_forest(flow.graph);
    const CallFrequencies frequencies(function_);
    std::vector<std::vector<bool>> held(forest.loops.size(), std::vector<bool>(words_, false));
    for (uint32_t loop = 0; loop < forest.loops.size(); ++loop) {
      const uint32_t parent = forest.loops[loop].parent;
      if (parent != program::kNoLoop) held[loop] = held[parent];
      std::vector<llvm::BasicBlock*> entering = entering_blocks(flow, forest, loop);
      if (entering.empty()) continue;
      for (size_t word = 0; word < words_; ++word) {
        if (!sinkable_[word] || held[loop][word]) continue;
        const std::optional<WordsReader> reader = often_read(flow, forest, frequencies, loop, word);
        if (!reader) continue;
        llvm::Value* value = wanted_[reader->call][word];
        if (llvm::any_of(entering, [&](auto* block) { return at_end_.lookup(block)[word] != value; })) continue;
        held[loop][word] = true;
        for (llvm::BasicBlock* block : entering) write(*block->getTerminator(), word, value, reader->top);
      }
    }
  }

  /// Blocks from which control comes to the loop and nowhere else; empty when there are others.
  std::vector<llvm::BasicBlock*> entering_blocks(const FunctionFlow& flow, const program::LoopForest& forest,
                                                 uint32_t loop) const {
    std::vector<llvm::BasicBlock*> entering;
    for (const uint32_t header : forest.loops[loop].headers) {
      for (llvm::BasicBlock* from : llvm::predecessors(flow.blocks[header])) {
        if (program::contains(forest, loop, flow.number.lookup(from)) || llvm::is_contained(entering, from)) continue;
        if (!at_end_.contains(from) || from->getSingleSuccessor() == nullptr || llvm::isa<llvm::InvokeInst>(from->getTerminator())) return {};
        entering.push_back(from);
      }
    }
    return entering;
  }

  /// A reader, where the readers in the loop want one value of the word, which nothing in the loop changes, and want it
  /// more often than the loop is entered.
  std::optional<WordsReader> often_read(const FunctionFlow& flow, const program::LoopForest& forest,
                                        const CallFrequencies& frequencies, uint32_t loop, size_t word) {
    double reads = 0, most = 0;
    std::optional<WordsReader> reader;
    llvm::Value* value = nullptr;
    for (const WordsReader& each : readers_) {
      const llvm::BasicBlock* block = each.call->getParent();
      if (!program::contains(forest, loop, flow.number.lookup(block))) continue;
      if (words_below(*each.call) <= word || loses(*each.call, word)) return std::nullopt;
      llvm::Value* wanted = wanted_[each.call][word];
      if (value && wanted != value) return std::nullopt;
      value = wanted;
      reads += frequencies.of(*block);
      if (!reader || frequencies.of(*block) > most) {
        reader = each;
        most = frequencies.of(*block);
      }
    }
    const auto* made = llvm::dyn_cast_or_null<llvm::Instruction>(value);
    if (made && program::contains(forest, loop, flow.number.lookup(made->getParent()))) return std::nullopt;
    return reads > frequencies.entries(flow, forest, loop) ? reader : std::nullopt;
  }

  /// Whether the word below the top may count the callee's entries.
  bool loses(const llvm::CallBase& call, size_t word) const {
    return word + 1 == below_top_.lookup(&call) && !call.getAttributes().hasFnAttr(kKeepsCallWordAttribute);
  }

  void write_before_readers() {
    const AtReader read = [&](llvm::CallBase& call, Content& memory) {
      const size_t below = words_below(call);
      for (size_t word = 0; word < words_; ++word) {
        if (word >= below || loses(call, word)) {
          memory[word] = nullptr;
        } else if (sinkable_[word]) {
          memory[word] = wanted_[&call][word];
        }
      }
    };
    std::vector<std::tuple<llvm::CallBase*, size_t, llvm::Value*>> missing;
    for (auto& [block, content] : flow(read)) {
      Content now = content;
      pass(*block, now, [&](llvm::CallBase& call, Content& memory) {
        for (size_t word = 0; word < words_below(call); ++word) {
          llvm::Value* wanted = wanted_[&call][word];
          if (sinkable_[word] && memory[word] != wanted) missing.emplace_back(&call, word, wanted);
        }
        read(call, memory);
      });
    }
    for (const auto& [call, word, value] : missing) write(*call, word, value, below_top_.lookup(call) * kWordBytes);
  }

  /// Where the top is to be `above` bytes higher than at entry.
  void write(llvm::Instruction& place, size_t word, llvm::Value* value, int64_t above) {
    llvm::IRBuilder<> builder(&place);
    llvm::LoadInst*& top = loaded_[&place];
    if (!top) {
      top = builder.CreateLoad(builder.getPtrTy(), top_);
      loads_.emplace_back(top, above);
      above_[top] = above;
    }
    llvm::Value* address = builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(), top, static_cast<uint64_t>(static_cast<int64_t>(word) * kWordBytes - above_[top]));
    written_[builder.CreateStore(value, address)] = word;
  }

  llvm::Function& function_;
  const std::vector<WordStore>& stores_;
  const std::vector<WordsReader>& readers_;
  llvm::Constant* top_;
  size_t words_ = 0;
  std::vector<bool> sinkable_;
  llvm::DenseMap<const llvm::Instruction*, size_t> written_;   ///< stores, by word
  llvm::DenseMap<const llvm::CallBase*, size_t> below_top_;    ///< words
  llvm::DenseMap<const llvm::CallBase*, Content> wanted_;
  llvm::DenseMap<const llvm::BasicBlock*, Content> at_end_;    ///< what the program has written
  llvm::DenseMap<const llvm::Instruction*, llvm::LoadInst*> loaded_;
  llvm::DenseMap<const llvm::LoadInst*, int64_t> above_;
  std::vector<std::pair<llvm::LoadInst*, int64_t>> loads_;
};

}  // namespace

std::vector<std::pair<llvm::LoadInst*, int64_t>> sink_words(llvm::Function& function,
                                                            const std::vector<WordStore>& stores,
                                                            const std::vector<WordsReader>& readers,
                                                            llvm::Constant* top) {
  if (stores.empty()) return {};
  return Words(function, stores, readers, top).sink();
}

}  // namespace culprit
