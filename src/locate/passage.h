// A value goes from one activation to another through functions that fetch and put values, which say little: what is
// told are the two calls, in one function, between which it went.
#pragma once

#include "depend/dependence_graph.h"

namespace culprit {

struct Passage {
  depend::Node later, earlier;
};

/// `later` and `earlier` as where their activations meet: calls that they were executed in, in the innermost activation
/// around both. Themselves where there is none, or where one is executed in it.
Passage passage_between(const depend::DependenceGraph& graph, depend::Node later, depend::Node earlier);

}  // namespace culprit
