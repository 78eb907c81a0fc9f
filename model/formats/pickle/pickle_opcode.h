#pragma once

#include <cstdint>
#include <string>

namespace lacuna {

/// The opcodes of Python's pickle that the reader accepts: those accepted by the viewer for allocator snapshots
/// (memory_viz), all of which build plain data. Values: Lib/pickletools.py.
enum class PickleOpcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinUnicode = 'X',
  kAppend = 'a',
  kDict = 'd',
  kEmptyDict = '}',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kList = 'l',
  kEmptyList = ']',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kBinFloat = 'G',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kMemoize = 0x94,
  kFrame = 0x95,
};

/// Returns a name such as "GLOBAL" for any byte; "opcode 0xff" if it is no opcode.
std::string pickle_opcode_name(std::uint8_t opcode);

}  // namespace lacuna
