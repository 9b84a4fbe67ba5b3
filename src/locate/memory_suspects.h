// Suspects by what the run did with memory that no program may do: the heap, arrays, variables without a value, and
// data that threads share.
#pragma once

#include "locate/suspect_ranking.h"

namespace culprit {

void add_memory_suspects(SuspectRanking& ranking);

}  // namespace culprit
