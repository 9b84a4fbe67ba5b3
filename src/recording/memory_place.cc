#include "recording/memory_place.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace culprit::recording {

using format::EventKind;
using format::PartKind;

namespace {

/// Goes through the events and keeps what bears on one address.
class Search {
 public:
  explicit Search(uint64_t address) : address_(address) {}

  void see(const EventRef& ref) {
    const format::Event& event = *ref.event;
    if (event.kind == EventKind::kStart) start(event);
    if (event.kind == EventKind::kFile) {
      for (const PartRef& part : ref.parts()) {
        if (part.kind == PartKind::kText) paths_[static_cast<uint32_t>(event.result)] = part.text();
      }
      return;
    }
    if (event.kind == EventKind::kCall && event.result > 0) see_call(event);
    for (const PartRef& part : ref.parts()) {
      if (part.kind == PartKind::kRegisters) see_stack(part);
      if (part.kind == PartKind::kMap) see_map(part);
    }
  }

  MemoryPlace place() const {
    if (image_) {
      const auto path = paths_.find(image_->file);
      Image image = *image_;
      image.path = path == paths_.end() ? "" : path->second;
      return {image.path, image};
    }
    if (address_ >= break_start_ && address_ < break_end_) return {"the heap", std::nullopt};
    if (on_stack_) return {"the first thread's machine stack", std::nullopt};
    return {fmt::format("memory mapped at {:#x}", below_), std::nullopt};
  }

 private:
  void start(const format::Event& event) {
    std::map<uint32_t, std::string> paths = std::move(paths_);
    *this = Search(address_);
    paths_ = std::move(paths);
    break_start_ = break_end_ = static_cast<uint64_t>(event.result);
  }
  void see_call(const format::Event& event) {
    const auto result = static_cast<uint64_t>(event.result);
    if (event.number == SYS_brk) break_end_ = std::max(break_end_, result);
    if (event.number == SYS_mmap && result <= address_) below_ = std::max(below_, result);
  }
  void see_map(const PartRef& part) {
    format::MapPart map;
    std::memcpy(&map, part.bytes.data(), sizeof map);
    const bool covers = address_ >= map.address && address_ - map.address < map.bytes;
    if (map.file != format::kNoFile) {
      if (map.file_offset == 0) bases_[map.file] = map.address;
      last_ = Image{map.file, "", bases_[map.file]};
      if (covers) image_ = last_;
    } else if (covers) {
      // Zeros right behind a file's mapping belong to it.
      if (map.address == last_end_) image_ = last_;
      zeros_end_ = map.address + map.bytes;
    }
    last_end_ = map.address + map.bytes;
  }
  void see_stack(const PartRef& part) {
    format::StartRegisters registers;
    std::memcpy(&registers, part.bytes.data(), sizeof registers);
    on_stack_ = zeros_end_ > registers.stack;
  }

  uint64_t address_;
  uint64_t break_start_ = 0, break_end_ = 0, below_ = 0, zeros_end_ = 0, last_end_ = 0;
  bool on_stack_ = false;
  std::optional<Image> image_, last_;
  std::map<uint32_t, uint64_t> bases_;
  std::map<uint32_t, std::string> paths_;
};

}  // namespace

MemoryPlace memory_place(const EventStream& stream, uint64_t address) {
  Search search(address);
  stream.for_each([&](const EventRef& event) {
    search.see(event);
    return true;
  });
  return search.place();
}

}  // namespace culprit::recording
