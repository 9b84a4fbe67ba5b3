// Where a failure is, once more is known than where the run ended.
#pragma once

#include <cstdint>
#include <string>

#include "locate/endless_loop.h"
#include "locate/failure_slice.h"
#include "locate/heap_experiments.h"
#include "locate/observe.h"
#include "program/program_model.h"
#include "report/explanation.h"

namespace culprit {

/// Whether the first line that is wrong only lacks bytes: its rest is as expected.
bool text_is_missing(const std::string& output, const std::string& expected);

/// The byte of the output whose writer is to be looked at. Where the rest of a line is right and only bytes before it
/// are missing, that is the last right byte: what was written there ended too early.
uint64_t byte_to_look_at(const std::string& output, const std::string& expected);

/// Whether the rest of the line would be right, were nothing put out, or more, at the first wrong byte.
bool has_wrong_length(const std::string& output, const std::string& expected);

/// The program did not stop where it failed.
bool is_silent(const report::Failure& failure);

/// A wrong result shows late; where a wrong use of the heap was caught, the failure is there.
void move_failure_to(const program::ProgramModel& model, const HeapFault& fault, report::Failure& failure);

/// Of a program that stopped later because of it: what kind of failure it is, and where it began.
void tell_misuse(const program::ProgramModel& model, const HeapFault& fault, report::Failure& failure);

/// A program that says something (`said`, its standard error) instead of a part of its output.
void tell_message(const FailureSlice& slice, const std::string& said, report::Failure& failure);

/// Where a run that does not end was stopped is chance.
void move_failure_to(const program::ProgramModel& model, const EndlessLoop& loop, ObservedRun& failing,
                     report::Failure& failure);

/// A byte that lay in a stream's buffer leaves the program when that is emptied, at the program's end perhaps. Whether
/// it was put there before; then `at_output` is where that was. What its variables were then is not known.
bool was_put_out_before(const FailureSlice& slice, ObservedRun& at_output);

/// Functions that hand on a text which they were given do not decide what is written.
void move_failure_to_writer(const program::ProgramModel& model, const FailureSlice& slice, ObservedRun& at_output,
                            report::Failure& failure);

}  // namespace culprit
