#include "runtime/loader/special_buffers.h"

namespace culprit::loader {
namespace {

using format::Special;

struct Vector {
  uint64_t base, bytes;
};

struct Message {
  uint64_t name;
  uint32_t name_bytes, pad;
  uint64_t vector, vector_count;
  uint64_t control, control_bytes;
  uint32_t flags, pad2;
};
static_assert(sizeof(Message) == 56);

struct ManyMessage {
  Message message;
  uint32_t bytes, pad;
};
static_assert(sizeof(ManyMessage) == 64);

// Terminal and socket commands from before sizes were encoded in them (asm-generic/ioctls.h, linux/sockios.h).
struct OldIoctl {
  uint32_t command;
  uint16_t written;
};
constexpr OldIoctl kOldIoctls[] = {
    {0x5401, 36}, /* TCGETS */ {0x5405, 18},         /* TCGETA */ {0x540f, 4},          /* TIOCGPGRP */
    {0x5411, 4},  /* TIOCOUTQ */ {0x5413, 8},        /* TIOCGWINSZ */ {0x5415, 4},      /* TIOCMGET */
    {0x5419, 4},  /* TIOCGSOFTCAR */ {0x541b, 4},    /* FIONREAD */ {0x541e, 72},       /* TIOCGSERIAL */
    {0x5424, 4},  /* TIOCGETD */ {0x5429, 4},        /* TIOCGSID */ {0x5456, 36},       /* TIOCGLCKTRMIOS */
    {0x8901, 4},  /* FIOSETOWN */ {0x8903, 4},       /* FIOGETOWN */ {0x8904, 4},       /* SIOCGPGRP */
    {0x8905, 4},  /* SIOCATMARK */ {0x8906, 16},     /* SIOCGSTAMP */ {0x8910, 40},     /* SIOCGIFNAME */
    {0x8913, 40}, /* SIOCGIFFLAGS */ {0x8915, 40},   /* SIOCGIFADDR */ {0x8917, 40},    /* SIOCGIFDSTADDR */
    {0x8919, 40}, /* SIOCGIFBRDADDR */ {0x891b, 40}, /* SIOCGIFNETMASK */ {0x891d, 40}, /* SIOCGIFMETRIC */
    {0x8921, 40}, /* SIOCGIFMTU */ {0x8927, 40},     /* SIOCGIFHWADDR */ {0x8933, 40},  /* SIOCGIFINDEX */
    {0x8942, 40}, /* SIOCGIFTXQLEN */ {0x1260, 8},   /* BLKGETSIZE */ {0x1268, 4},      /* BLKSSZGET */
};
constexpr uint32_t kSiocgifconf = 0x8912;

void add_ioctl(const uint64_t* arguments, Extents& to) {
  const auto command = static_cast<uint32_t>(arguments[1]);
  const uint64_t pointer = arguments[2];
  for (const OldIoctl& old : kOldIoctls) {
    if (old.command == command) return to.add(pointer, old.written);
  }
  if (command == kSiocgifconf) {
    to.add(pointer, 16);
    const auto* list = reinterpret_cast<const Vector*>(pointer);
    return to.add(list->bytes, static_cast<uint32_t>(list->base));  // struct ifconf: length, then the buffer
  }
  constexpr uint32_t kRead = 0x80000000;
  if (command & kRead) to.add(pointer, command >> 16 & 0x3fff);
}

void add_fcntl(const uint64_t* arguments, Extents& to) {
  switch (arguments[1]) {
    case 5:   // F_GETLK
    case 36:  // F_OFD_GETLK
      return to.add(arguments[2], 32);
    case 16:  // F_GETOWN_EX
      return to.add(arguments[2], 8);
    case 1035:  // F_GET_RW_HINT and F_GET_FILE_RW_HINT
    case 1037:
      return to.add(arguments[2], 8);
    default:
      return;
  }
}

void add_prctl(const uint64_t* arguments, Extents& to) {
  switch (arguments[0]) {
    case 2:   // PR_GET_PDEATHSIG
    case 5:   // PR_GET_UNALIGN
    case 9:   // PR_GET_FPEMU
    case 11:  // PR_GET_FPEXC
    case 19:  // PR_GET_ENDIAN
    case 25:  // PR_GET_TSC
    case 37:  // PR_GET_CHILD_SUBREAPER
      return to.add(arguments[1], 4);
    case 16:  // PR_GET_NAME
      return to.add(arguments[1], 16);
    case 40:  // PR_GET_TID_ADDRESS
      return to.add(arguments[1], 8);
    default:
      return;
  }
}

void add_received(uint64_t header, uint64_t bytes, Extents& to) {
  const auto* message = reinterpret_cast<const Message*>(header);
  to.add(header, sizeof(Message));
  to.add(message->name, message->name_bytes < 128 ? message->name_bytes : 128);
  to.add(message->control, message->control_bytes);
  add_vector(message->vector, message->vector_count, bytes, to);
}

void add_sent(uint64_t header, uint64_t bytes, Extents& to) {
  const auto* message = reinterpret_cast<const Message*>(header);
  to.add(message->name, message->name_bytes);
  to.add(message->control, message->control_bytes);
  add_vector(message->vector, message->vector_count, bytes, to);
}

}  // namespace

void add_vector(uint64_t vector, uint64_t count, uint64_t bytes, Extents& to) {
  const auto* entry = reinterpret_cast<const Vector*>(vector);
  for (uint64_t each = 0; each < count && bytes > 0; ++each) {
    const uint64_t here = entry[each].bytes < bytes ? entry[each].bytes : bytes;
    to.add(entry[each].base, here);
    bytes -= here;
  }
}

void special_written(const format::SystemCall& call, const uint64_t* arguments, long result, Extents& to) {
  if (call.special == Special::kNameToHandleAt) {
    const uint64_t handle = arguments[2];
    if (handle == 0 || (result < 0 && result != -75 /* EOVERFLOW */)) return;
    return to.add(handle, result < 0 ? 8 : 8 + *reinterpret_cast<const uint32_t*>(handle));
  }
  if (result < 0) return;
  switch (call.special) {
    case Special::kIoctl:
      return add_ioctl(arguments, to);
    case Special::kFcntl:
      return add_fcntl(arguments, to);
    case Special::kPrctl:
      return add_prctl(arguments, to);
    case Special::kFutex: {
      const uint64_t operation = arguments[1] & 0x7f;
      const bool writes =
          operation >= 5 && operation != 9 && operation != 10;  // WAKE_OP, PI operations: the word itself
      if (writes) to.add(arguments[0], 4);
      if (operation == 5) to.add(arguments[4], 4);
      return;
    }
    case Special::kRecvmsg:
      return add_received(arguments[1], static_cast<uint64_t>(result), to);
    case Special::kRecvmmsg: {
      const auto* many = reinterpret_cast<const ManyMessage*>(arguments[1]);
      for (long each = 0; each < result; ++each) {
        to.add(reinterpret_cast<uint64_t>(&many[each]), sizeof(ManyMessage));
        add_received(reinterpret_cast<uint64_t>(&many[each].message), many[each].bytes, to);
      }
      return to.add(arguments[4], 16);
    }
    case Special::kSendmmsg: {
      const auto* many = reinterpret_cast<const ManyMessage*>(arguments[1]);
      for (long each = 0; each < result; ++each) to.add(reinterpret_cast<uint64_t>(&many[each].bytes), 4);
      return;
    }
    case Special::kSemctl:
      if (arguments[2] == 2 || arguments[2] == 18) return to.add(arguments[3], 104);  // IPC_STAT, SEM_STAT
      return;
    case Special::kMsgctl:
      if (arguments[1] == 2 || arguments[1] == 11) return to.add(arguments[2], 120);  // IPC_STAT, MSG_STAT
      return;
    case Special::kNone:
    case Special::kSendmsg:
    case Special::kNameToHandleAt:
      return;
  }
}

void special_read(const format::SystemCall& call, const uint64_t* arguments, long result, Extents& to) {
  if (result < 0) return;
  if (call.special == Special::kSendmsg) return add_sent(arguments[1], static_cast<uint64_t>(result), to);
  if (call.special == Special::kSendmmsg) {
    const auto* many = reinterpret_cast<const ManyMessage*>(arguments[1]);
    for (long each = 0; each < result; ++each) {
      add_sent(reinterpret_cast<uint64_t>(&many[each].message), many[each].bytes, to);
    }
  }
}

}  // namespace culprit::loader
