// Relevant inputs in words and JSON.
#pragma once

#include <string>

#include "depend/input_places.h"
#include "depend/relevant_inputs.h"

namespace culprit::depend {

struct InputsStyle {
  size_t most_ranges = 20;      ///< of a role; 0: all
  size_t most_characters = 60;  ///< of a range's text
};

/// One line a range: input, offsets, strength, text; then the chains of mapped values.
std::string inputs_text(const DependenceGraph& graph, const InputPlaces& places, const InputValues& values,
                        InputValue value, const InputsStyle& style = {});
/// {"derived": […], "control": […], "address": […], "chains": […]} of {"input", "first", "bytes", "exact", "text"};
/// chains have "links" of {"value", "variable", "file", "line"}. Texts are those bytes as characters of Latin-1.
std::string inputs_json(const DependenceGraph& graph, const InputPlaces& places, const InputValues& values,
                        InputValue value);

}  // namespace culprit::depend
