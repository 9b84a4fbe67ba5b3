// What kind of thing a library function does, by the table of external functions, without a call to look at.
#pragma once

#include <string_view>

namespace culprit::program {

struct ExternalRole {
  bool allocates = false;     ///< or gives memory back
  bool synchronises = false;  ///< takes or releases what orders threads, starts or joins them
  bool releases = false;      ///< releases what orders threads
  /// Runs functions of the program that it was given, now or earlier, or may not return to its caller.
  bool calls_back = true;
  /// Neither the system nor another thread notices the call: it computes on its arguments and the memory that they
  /// point at.
  bool keeps_to_itself = false;
  bool brings_input = false;  ///< its result, or what it leaves in memory, comes from outside of the program
};

/// Its calls start one thread each: pthread_create, and what C11's and C++'s threads are made by.
bool makes_thread(std::string_view symbol);

/// Its calls end when another thread has done something, or when time has passed.
bool waits_for_others(std::string_view symbol);

/// Of functions that the table does not describe, the least is known: they may call back.
ExternalRole external_role(std::string_view symbol);

}  // namespace culprit::program
