#include "build/link_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace culprit {
namespace {

constexpr uint32_t kProgram = 0;

bool is_definition(Binding binding) {
  return binding != Binding::kDeclared && binding != Binding::kLocal;
}

class Rules {
 public:
  Rules(const CompileJob& job, const std::vector<UnitSymbols>& units)
      : job_(job), units_(units), verdicts_(units.size()) {}

  std::vector<UnitVerdict> verdicts() {
    note_users();
    refuse_contradicting_options();
    refuse_assembly_that_would_break();
    let_the_first_component_win();
    let_the_first_strong_definition_win();
    redirect_wrapped_symbols();
    redirect_defined_symbols();
    return std::move(verdicts_);
  }

 private:
  bool is_native(size_t unit) const { return !verdicts_[unit].native_because.empty(); }

  void note_users() {
    for (size_t unit = 0; unit < units_.size(); ++unit) {
      const uint32_t component = units_[unit].component;
      for (const auto& [symbol, binding] : units_[unit].symbols) {
        ++speaking_of_[symbol];
        if (binding != Binding::kLocal) components_[symbol].insert(component);
        if (!is_definition(binding)) continue;
        definers_[symbol].push_back(unit);
        if (is_hidden(unit, symbol)) continue;
        const auto [known, is_new] = winner_.emplace(symbol, component);
        if (!is_new) known->second = std::min(known->second, component);
      }
    }
  }

  bool is_hidden(size_t unit, const std::string& symbol) const { return units_[unit].hidden.contains(symbol); }

  bool is_in_merge(const std::string& symbol) const {
    const auto found = definers_.find(symbol);
    return found != definers_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [this](size_t unit) { return !is_native(unit); });
  }

  void refuse_contradicting_options() {
    std::string target;
    std::map<std::string, std::string> options;
    for (size_t unit = 0; unit < units_.size(); ++unit) {
      const UnitSymbols& each = units_[unit];
      if (target.empty()) target = each.target;
      if (each.target != target) {
        verdicts_[unit].native_because = fmt::format("compiled for {}, others for {}", each.target, target);
        continue;
      }
      for (const auto& [name, value] : each.strict_options) {
        const auto known = options.find(name);
        if (known != options.end() && known->second != value) {
          verdicts_[unit].native_because =
              fmt::format("compiled with {} = {}, others with {}", name, value, known->second);
        }
      }
      if (!is_native(unit)) options.insert(each.strict_options.begin(), each.strict_options.end());
    }
  }

  void refuse_assembly_that_would_break() {
    std::map<std::string, size_t> labels;
    for (size_t unit = 0; unit < units_.size(); ++unit) {
      const UnitSymbols& each = units_[unit];
      for (const std::string& name : each.named_in_assembly) {
        const auto symbol = each.symbols.find(name);
        if (symbol == each.symbols.end() || symbol->second != Binding::kLocal || speaking_of_[name] < 2) continue;
        verdicts_[unit].native_because =
            fmt::format("its assembly names the static symbol {}, and other units have a symbol of that name", name);
      }
      for (const std::string& label : each.labels_in_assembly) {
        const auto known = labels.find(label);
        if (known == labels.end()) continue;
        verdicts_[unit].native_because =
            fmt::format("its assembly defines the label {}, as that of {} does", label, units_[known->second].name);
      }
      if (is_native(unit)) continue;
      for (const std::string& label : each.labels_in_assembly) labels.emplace(label, unit);
    }
  }

  /// Interposition between the program and its libraries.
  void let_the_first_component_win() {
    for (const auto& [symbol, definers] : definers_) {
      if (components_.at(symbol).size() < 2) continue;
      std::set<uint32_t> renamed_in;
      for (const size_t unit : definers) {
        const uint32_t component = units_[unit].component;
        if (is_hidden(unit, symbol)) {
          renamed_in.insert(component);
        } else if (component != winner_.at(symbol)) {
          if (job_.components[component].symbolic) {
            renamed_in.insert(component);
          } else if (units_[unit].symbols.at(symbol) != Binding::kInline) {
            verdicts_[unit].dropped.insert(symbol);
          }
        }
      }
      for (const uint32_t component : renamed_in) rename_in(component, symbol);
    }
  }

  void rename_in(uint32_t component, const std::string& symbol) {
    for (size_t unit = 0; unit < units_.size(); ++unit) {
      const UnitSymbols& each = units_[unit];
      if (each.component != component) continue;
      const auto found = each.symbols.find(symbol);
      if (found == each.symbols.end() || found->second == Binding::kLocal) continue;
      verdicts_[unit].renamed[symbol] = fmt::format("{}.{}", symbol, job_.components[component].name);
      if (each.named_in_assembly.contains(symbol)) {
        verdicts_[unit].native_because =
            fmt::format("its assembly names {}, which {} keeps to itself and other parts define too", symbol,
                        job_.components[component].name);
      }
    }
  }

  /// Two strong definitions in one component: with -z muldefs the first wins; without it the original link can have
  /// seen one only (objcopy made the other local, say), so the second unit keeps its own to itself.
  void let_the_first_strong_definition_win() {
    for (const auto& [symbol, definers] : definers_) {
      std::map<uint32_t, size_t> first;
      for (const size_t unit : definers) {
        if (units_[unit].symbols.at(symbol) != Binding::kStrong || verdicts_[unit].dropped.contains(symbol)) continue;
        const auto [known, is_first] = first.emplace(units_[unit].component, unit);
        if (is_first) continue;
        if (job_.allow_multiple_definitions) {
          verdicts_[unit].dropped.insert(symbol);
        } else {
          verdicts_[unit].made_local.insert(symbol);
          verdicts_[unit].native_because = fmt::format("defines {}, as {} does", symbol, units_[known->second].name);
        }
      }
    }
  }

  void redirect_wrapped_symbols() {
    for (const std::string& symbol : job_.wraps) {
      const bool wrapper_is_here = is_in_merge("__wrap_" + symbol);
      const bool real_is_here = is_in_merge(symbol);
      for (size_t unit = 0; unit < units_.size(); ++unit) {
        // Libraries were linked by themselves, without this option. Native units get it from the linker.
        if (units_[unit].component != kProgram || is_native(unit)) continue;
        const auto& symbols = units_[unit].symbols;
        const auto used = symbols.find(symbol);
        if (wrapper_is_here && used != symbols.end() && used->second == Binding::kDeclared) {
          verdicts_[unit].renamed[symbol] = "__wrap_" + symbol;
        }
        // What is outside of the program stays __real_s, so that the linker does not wrap it a second time.
        if (real_is_here && symbols.contains("__real_" + symbol)) verdicts_[unit].renamed["__real_" + symbol] = symbol;
      }
    }
  }

  void redirect_defined_symbols() {
    for (const SymbolDefinition& definition : job_.definitions) {
      if (!is_in_merge(definition.target)) continue;  // an address, or something native: the linker's business
      for (size_t unit = 0; unit < units_.size(); ++unit) {
        if (units_[unit].component != kProgram || is_native(unit)) continue;
        const auto used = units_[unit].symbols.find(definition.symbol);
        if (used != units_[unit].symbols.end() && used->second == Binding::kDeclared) {
          verdicts_[unit].renamed[definition.symbol] = definition.target;
        }
      }
    }
  }

  const CompileJob& job_;
  const std::vector<UnitSymbols>& units_;
  std::vector<UnitVerdict> verdicts_;
  std::map<std::string, size_t> speaking_of_;             ///< units that have a symbol of this name, static ones too
  std::map<std::string, std::set<uint32_t>> components_;  ///< those that have it, not as a static one
  std::map<std::string, std::vector<size_t>> definers_;   ///< units that define it for others
  std::map<std::string, uint32_t> winner_;                ///< the component whose definition serves everyone
};

}  // namespace

std::vector<UnitVerdict> apply_link_rules(const CompileJob& job, const std::vector<UnitSymbols>& units) {
  return Rules(job, units).verdicts();
}

}  // namespace culprit
