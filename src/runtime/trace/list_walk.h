// What a va_list holds for a format, before a function of the C library takes it from there.
#pragma once

#include "format/trace_format.h"
#include "runtime/trace/readable_strings.h"

namespace culprit::runtime {

/// As the arguments of a va_list follow each other (System V ABI for AMD64, 3.5.7).
class ListWalk {
 public:
  ListWalk(const format::TraceCall& call, const uint64_t* arguments, format::TraceWord* words) : words_(words) {
    const uint64_t list = arguments[call.list];
    if (list == 0 || arguments[call.format] == 0) return;
    for (uint32_t each = 0; each < format::kTraceListWords; ++each) note(list + each * kWordBytes);
    general_ = static_cast<uint32_t>(words_[0].word);
    vector_ = static_cast<uint32_t>(words_[0].word >> 32);
    stack_ = words_[1].word;
    saved_ = words_[2].word;
    at_ = reinterpret_cast<const char*>(arguments[call.format]);
    while (*at_ != '\0' && count_ + kMostOfConversion <= format::kTraceMostWords) {
      if (*at_++ == '%' && !conversion()) return;
    }
  }

  uint32_t count() const { return count_; }

 private:
  static constexpr uint64_t kWordBytes = 8;
  static constexpr uint64_t kAligned = 16;
  static constexpr uint32_t kGeneralEnd = 48;
  static constexpr uint32_t kVectorEnd = 176;
  static constexpr uint32_t kMostOfConversion = 3;  // two asterisks

  format::TraceWord& note(uint64_t address) {
    format::TraceWord& word = words_[count_++];
    word.address = address;
    word.word = *reinterpret_cast<const uint64_t*>(address);
    word.length = format::kTraceNoString;
    word.after = 0;
    return word;
  }
  format::TraceWord& take(uint32_t& next, uint32_t end, uint32_t bytes) {
    if (next >= end) {
      stack_ += kWordBytes;
      return note(stack_ - kWordBytes);
    }
    next += bytes;
    return note(saved_ + next - bytes);
  }
  format::TraceWord& general() { return take(general_, kGeneralEnd, kWordBytes); }

  bool is_one_of(const char* set) const {
    while (*set != '\0' && *set != *at_) ++set;
    return *set != '\0' && *at_ != '\0';
  }

  /// False where the rest cannot be told.
  bool conversion() {
    uint64_t limit = ~uint64_t{0};
    bool in_precision = false, is_long = false, is_long_double = false;
    while (is_one_of("-+ #'I0123456789.*hlqLjzt")) {
      const char c = *at_++;
      if (c == '.') {
        in_precision = true;
        limit = 0;
      } else if (c == '*') {
        const auto number = static_cast<int32_t>(general().word);
        if (in_precision) limit = number < 0 ? ~uint64_t{0} : static_cast<uint64_t>(number);
      } else if (in_precision && c >= '0' && c <= '9') {
        limit = limit * 10 + static_cast<uint64_t>(c - '0');
      }
      is_long = is_long || c == 'l';
      is_long_double = is_long_double || c == 'L';
      if (count_ + 1 >= format::kTraceMostWords) return false;
    }
    if (is_one_of("%m")) return *at_++ != '\0';
    if (is_one_of("aAeEfFgG")) {
      if (is_long_double) {
        stack_ = (stack_ + kAligned - 1) / kAligned * kAligned + kAligned;
      } else {
        take(vector_, kVectorEnd, kAligned);
      }
    } else if (is_one_of("diouxXpbBcCnsS")) {
      format::TraceWord& word = general();
      if (*at_ == 's' && !is_long) word.length = string_length(word.word, limit, false);
    } else {
      return false;
    }
    ++at_;
    return true;
  }

  format::TraceWord* words_;
  uint32_t count_ = 0;
  uint32_t general_ = 0, vector_ = 0;  ///< offsets of the next ones in the registers saved
  uint64_t stack_ = 0, saved_ = 0;
  const char* at_ = nullptr;
};

}  // namespace culprit::runtime
