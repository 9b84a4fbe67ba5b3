#include "locate/attempt.h"

#include <fmt/format.h>

#include <new>

#include "base/error.h"

namespace culprit {

void attempt(const char* what, report::Explanation& explanation, const std::function<void()>& step) {
  const auto tell = [&](const char* why) { explanation.limits.push_back(fmt::format("{}: {}", what, why)); };
  try {
    step();
  } catch (const UserError& error) {
    tell(error.what());
  } catch (const CorruptData& error) {
    tell(error.what());
  } catch (const std::bad_alloc&) {
    tell("it does not fit in memory");
  }
}

}  // namespace culprit
