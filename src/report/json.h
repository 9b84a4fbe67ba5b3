// An explanation for machines: {failure:{kind,file,line,function,message}, findings:[{kind,file,line,instance,evidence,
// proved}], suspects:[{rank,file,line,function,why}], …}.
#pragma once

#include <string>

#include "report/explanation.h"

namespace culprit::report {

std::string to_json(const Explanation& explanation);

}  // namespace culprit::report
