// Local variables that a debugger can show although they have no home in memory.
#pragma once

namespace llvm {
class Module;
}

namespace culprit {

/// In observed bodies with variables in registers: makes every value assigned to a scalar variable be computed there,
/// and the last one, also of scalar members of small structures, be needed until the function returns. Otherwise the
/// optimiser puts values off, drops them after their last use or never computes them, and a debugger finds them
/// "optimized out". Very large functions are left to the optimiser: there this multiplied the time of code generation.
void keep_variables_until_return(llvm::Module& observed_half);

}  // namespace culprit
