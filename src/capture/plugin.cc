// The compiler plugin: at the start of the pass pipeline, before any optimisation, it puts the module's bitcode into
// the object that is being compiled.
//
// The bitcode travels as module assembly in a section without SHF_ALLOC: a global variable would be loaded with the
// program, and LLVM's own embedBufferInModule marks its section SHF_EXCLUDE, so that linkers drop it. The assembly is
// added after the module was written, so a captured module never contains another copy of itself; inline assembly of
// the program's own is in the bitcode.

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <array>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/capture_format.h"

namespace culprit {
namespace {

using format::CaptureUnitHeader;

/// Objects of other targets cannot be rebuilt by Culprit; GPU modules among them end up inside host objects.
bool is_capturable(const llvm::Module& module) {
  const llvm::Triple triple(module.getTargetTriple());
  return triple.getArch() == llvm::Triple::x86_64 && triple.isOSBinFormatELF();
}

/// A module compiled a second time from emitted IR (`-emit-llvm`, then the result) already carries its bitcode.
bool is_captured(const llvm::Module& module) {
  return llvm::StringRef(module.getModuleInlineAsm()).contains(format::kUnitSection);
}

llvm::SmallVector<char, 0> bitcode_of(const llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::BitcodeWriter writer(bytes);
  writer.writeModule(module);
  writer.writeStrtab();  // no symbol table: only linkers read it, and making one assembles the inline assembly again
  return bytes;
}

std::string compilation_directory() {
  llvm::SmallString<256> directory;
  if (llvm::sys::fs::current_path(directory)) return ".";
  return std::string(directory);
}

std::string producer_of(const llvm::Module& module) {
  for (const llvm::DICompileUnit* unit : module.debug_compile_units()) return unit->getProducer().str();
  return "clang " LLVM_VERSION_STRING;
}

uint64_t aligned(uint64_t offset) {
  return (offset + format::kCaptureAlignment - 1) / format::kCaptureAlignment * format::kCaptureAlignment;
}

std::string unit_record(const llvm::Module& module) {
  const llvm::SmallVector<char, 0> bitcode = bitcode_of(module);
  const std::string directory = compilation_directory();
  const std::string& source = module.getSourceFileName();
  const std::string producer = producer_of(module);

  CaptureUnitHeader header{};
  std::memcpy(header.magic, format::kCaptureUnitMagic, sizeof header.magic);
  header.version = format::kCaptureVersion;
  header.header_bytes = sizeof header;
  header.bitcode_offset = aligned(sizeof header + directory.size() + source.size() + producer.size());
  header.bitcode_bytes = bitcode.size();
  header.record_bytes = aligned(header.bitcode_offset + header.bitcode_bytes);
  header.bitcode_hash = XXH3_64bits(bitcode.data(), bitcode.size());
  header.directory_bytes = static_cast<uint32_t>(directory.size());
  header.source_bytes = static_cast<uint32_t>(source.size());
  header.producer_bytes = static_cast<uint32_t>(producer.size());

  std::string record;
  record.reserve(header.record_bytes);
  record.append(reinterpret_cast<const char*>(&header), sizeof header);
  record.append(directory).append(source).append(producer);
  record.resize(header.bitcode_offset);
  record.append(bitcode.data(), bitcode.size());
  record.resize(header.record_bytes);
  return record;
}

/// How each byte is written inside an assembler string, without and with a digit behind it.
struct Escape {
  char text[4];
  uint8_t length;       ///< of the shortest spelling
  bool is_short_octal;  ///< must be spelled with three digits when a digit follows
};

std::array<Escape, 256> make_escapes() {
  std::array<Escape, 256> escapes{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    Escape& escape = escapes[byte];
    if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
      escape = {{static_cast<char>(byte)}, 1, false};
    } else if (byte < 8) {
      escape = {{'\\', static_cast<char>('0' + byte)}, 2, true};
    } else if (byte < 64) {
      escape = {{'\\', static_cast<char>('0' + byte / 8), static_cast<char>('0' + byte % 8)}, 3, true};
    } else {
      escape = {{'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
                 static_cast<char>('0' + byte % 8)},
                4,
                false};
    }
  }
  return escapes;
}

/// Appends `.ascii` directives for `bytes`. Plain ASCII, so that the assembly stays text for other tools.
void append_ascii(std::string& assembly, const std::string& bytes) {
  constexpr size_t kBytesPerLine = 8192;
  static const std::array<Escape, 256> kEscapes = make_escapes();
  const size_t start = assembly.size();
  assembly.resize(start + bytes.size() * 4 + (bytes.size() / kBytesPerLine + 1) * sizeof(".ascii \"\"\n"));
  char* out = assembly.data() + start;
  const auto put = [&out](const char* text, size_t length) {
    std::memcpy(out, text, length);
    out += length;
  };
  for (size_t at = 0; at < bytes.size();) {
    put(".ascii \"", 8);
    for (const size_t line_end = std::min(bytes.size(), at + kBytesPerLine); at < line_end; ++at) {
      const auto byte = static_cast<unsigned char>(bytes[at]);
      const Escape& escape = kEscapes[byte];
      const bool digit_follows = at + 1 < line_end && bytes[at + 1] >= '0' && bytes[at + 1] <= '9';
      if (escape.is_short_octal && digit_follows) {
        const char octal[4] = {'\\', '0', static_cast<char>('0' + byte / 8), static_cast<char>('0' + byte % 8)};
        put(octal, sizeof octal);
      } else {
        std::memcpy(out, escape.text, sizeof escape.text);
        out += escape.length;
      }
    }
    put("\"\n", 2);
  }
  assembly.resize(static_cast<size_t>(out - assembly.data()));
}

void embed(llvm::Module& module, const std::string& record) {
  std::string assembly = module.getModuleInlineAsm();
  if (!assembly.empty() && assembly.back() != '\n') assembly += '\n';
  assembly += std::string(".pushsection ") + format::kUnitSection + ",\"\",@progbits\n.p2align 3\n";
  append_ascii(assembly, record);
  assembly += ".popsection\n";
  module.setModuleInlineAsm(assembly);
}

class CapturePass : public llvm::PassInfoMixin<CapturePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (is_capturable(module) && !is_captured(module)) embed(module, unit_record(module));
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void register_at_pipeline_start(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(CapturePass()); });
}

}  // namespace
}  // namespace culprit

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "culprit-capture", "1", culprit::register_at_pipeline_start};
}
