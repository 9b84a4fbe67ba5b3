// Suspects by what altering a run showed: branches, values and what was left out; and by what only failing runs did.
#pragma once

#include "locate/suspect_ranking.h"

namespace culprit {

void add_altered_suspects(SuspectRanking& ranking);

}  // namespace culprit
