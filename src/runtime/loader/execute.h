// execve of the recorded program: the new program goes on in the same recording.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Answers execve. Recording, it returns only when it fails: a fresh culprit-ld takes over (continue_recording).
/// Replaying, it replaces the program's memory and sets the context to the new program's start.
long execute(Call& call);

/// What the old image hands to the new one, as command line words (main.cc):
/// culprit-ld continue INTERCEPTION DESCRIPTOR PROGRAM CHECK COPIES OUTPUTS THREAD TICKS CHAOS ARGV0 [ARGUMENT…]
inline constexpr unsigned kContinueWords = 11;
/// culprit-ld pass INTERCEPTION PROGRAM ARGV0 [ARGUMENT…]
inline constexpr unsigned kPassWords = 4;
/// culprit-ld watch INTERCEPTION PROGRAM DESCRIPTOR OUTPUTS ARGV0 [ARGUMENT…]
inline constexpr unsigned kWatchWords = 6;

/// culprit-ld executed INTERCEPTION PROGRAM DESCRIPTOR OUTPUTS DIRECTORY CHAOS NAME ARGV0 [ARGUMENT…]
inline constexpr unsigned kExecutedWords = 9;

/// Takes over in the new image and logs the call that led to it. Before open_log nothing is known of the recording.
void continue_recording(char** words);

/// Takes over in a child's new image.
void continue_watching(char** words);

/// The same in one that is recorded by itself.
void begin_executed(char** words);

}  // namespace culprit::loader
