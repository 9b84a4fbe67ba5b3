// What a child of a recorded program asks the launcher before it executes another program (docs/formats.md, "Children").
//
// The launcher listens at the socket `requests` in the recording's directory as long as the program runs. A child
// connects, sends one ChildRequest with its words and gets one ChildAnswer with its words. No words: the program is not
// to be recorded.
#pragma once

#include <cstdint>

namespace culprit::format {

inline constexpr char kChildRequests[] = "requests";
inline constexpr char kChildRequestMagic[4] = {'C', 'H', 'L', 'D'};
inline constexpr uint32_t kMostChildWords = 64 * 1024;  ///< bytes

/// Followed by `bytes` bytes: the executable's path, then argv, each ended by NUL.
struct ChildRequest {
  char magic[4];
  int32_t process;
  uint32_t bytes;
};
static_assert(sizeof(ChildRequest) == 12);

/// Followed by `bytes` bytes: the directory made for the child's recording, relative to the launcher's, then the
/// executable that is to run in the program's place, each ended by NUL.
struct ChildAnswer {
  uint32_t bytes;
};

}  // namespace culprit::format
