// Cubins: CUDA Binary Utilities, "What is a CUDA Binary?": an ELF file with a section .text.NAME
// for each kernel. Numbers of registers, parameters and the like are where cuobjdump and readelf
// show them in the output of ptxas 12.8 and 13.1: no page of NVIDIA's describes their layout.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "driver/image.h"

namespace simgpu::driver {
namespace {

constexpr Elf64_Half kMachine = 190;              // EM_CUDA
constexpr unsigned kAbiWithWideArchitecture = 8;  // ELF ABI from CUDA 13 on
constexpr int kReservedSharedBytes = 1024;        // by the system, of each block, from 9.0 on

// Attributes in sections .nv.info: one byte each for the form of its value and for which it is.
enum class Form : std::uint8_t { kNone = 1, kByte = 2, kHalf = 3, kSized = 4 };
enum class Attribute : std::uint8_t {
  kMostThreads = 0x05,
  kRequiredThreads = 0x10,
  kFrameBytes = 0x11,
  kParameter = 0x17,
  kRegisters = 0x2F,
};

struct Elf {
  const char* data;
  const Elf64_Ehdr* header;
  const Elf64_Shdr* sections;
  const char* names;

  std::string_view name_of(const Elf64_Shdr& section) const { return names + section.sh_name; }
};

std::uint32_t word_at(const char* data) {
  std::uint32_t word = 0;
  std::memcpy(&word, data, sizeof(word));
  return word;
}

int architecture_of(const Elf64_Ehdr& header) {
  const bool wide = header.e_ident[EI_ABIVERSION] >= kAbiWithWideArchitecture;
  return static_cast<int>((wide ? header.e_flags >> 8U : header.e_flags) & 0xFFU);
}

// Calls `visit(attribute, value, bytes of the value)` for each of a section.
template <typename Visit>
void each_attribute(const Elf& elf, const Elf64_Shdr& section, Visit visit) {
  const char* at = elf.data + section.sh_offset;
  const char* const end = at + section.sh_size;
  while (at + 4 <= end) {
    const auto form = static_cast<Form>(at[0]);
    const std::uint32_t bytes = form == Form::kSized ? word_at(at) >> 16U : 0;
    if (form == Form::kSized && at + 4 + bytes <= end) {
      visit(static_cast<Attribute>(at[1]), at + 4, bytes);
    }
    at += 4 + bytes;
  }
}

void read_attributes_of_kernel(const Elf& elf, const Elf64_Shdr& section, KernelImage& kernel) {
  each_attribute(elf, section, [&](Attribute which, const char* value, std::uint32_t bytes) {
    if (which == Attribute::kParameter && bytes >= 12) {
      const std::uint32_t position = word_at(value + 4);  // ordinal, offset
      const std::size_t ordinal = position & 0xFFFFU;
      kernel.parameters.resize(std::max(kernel.parameters.size(), ordinal + 1));
      kernel.parameters[ordinal] = {position >> 16U, word_at(value + 8) >> 18U};
    } else if ((which == Attribute::kMostThreads || which == Attribute::kRequiredThreads) &&
               bytes >= 12) {
      kernel.most_threads =
          static_cast<int>(word_at(value) * word_at(value + 4) * word_at(value + 8));
    }
  });
}

// In the section for all kernels: of the one whose symbol has this number.
void read_attributes_by_symbol(const Elf& elf, const Elf64_Shdr& section, std::uint32_t symbol,
                               KernelImage& kernel) {
  each_attribute(elf, section, [&](Attribute which, const char* value, std::uint32_t bytes) {
    if (bytes < 8 || word_at(value) != symbol) {
      return;
    }
    const int number = static_cast<int>(word_at(value + 4));
    if (which == Attribute::kFrameBytes) {
      kernel.local_bytes = number;
    } else if (which == Attribute::kRegisters) {
      kernel.registers = number;
    }
  });
}

KernelImage read_kernel(const Elf& elf, std::string_view name, std::uint32_t symbol,
                        int architecture) {
  KernelImage kernel;
  kernel.name = name;
  for (int i = 0; i < elf.header->e_shnum; ++i) {
    const Elf64_Shdr& section = elf.sections[i];
    const std::string_view its_name = elf.name_of(section);
    if (its_name == ".nv.info") {
      read_attributes_by_symbol(elf, section, symbol, kernel);
    } else if (its_name == ".nv.info." + kernel.name) {
      read_attributes_of_kernel(elf, section, kernel);
    } else if (its_name == ".nv.shared." + kernel.name) {
      const int reserved = architecture >= 90 ? kReservedSharedBytes : 0;
      kernel.static_shared_bytes = std::max(0, static_cast<int>(section.sh_size) - reserved);
    }
  }
  return kernel;
}

void read_kernels(const Elf& elf, const Elf64_Shdr& table, Image& into) {
  const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(elf.data + table.sh_offset);
  const char* const names = elf.data + elf.sections[table.sh_link].sh_offset;
  for (std::uint32_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
    const Elf64_Sym& symbol = symbols[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
        symbol.st_shndx >= elf.header->e_shnum) {
      continue;
    }
    const std::string_view name = names + symbol.st_name;
    const Elf64_Shdr& code = elf.sections[symbol.st_shndx];
    if (elf.name_of(code) == ".text." + std::string(name)) {  // else a function that kernels call
      into.kernels.push_back(read_kernel(elf, name, i, into.architecture));
    }
  }
}

}  // namespace

CUresult read_cubin(const void* data, Image& into) {
  const auto* const header = static_cast<const Elf64_Ehdr*>(data);
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != kMachine ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shstrndx >= header->e_shnum) {
    return CUDA_ERROR_INVALID_IMAGE;
  }
  Elf elf{static_cast<const char*>(data), header, nullptr, nullptr};
  elf.sections = reinterpret_cast<const Elf64_Shdr*>(elf.data + header->e_shoff);
  elf.names = elf.data + elf.sections[header->e_shstrndx].sh_offset;
  into.architecture = architecture_of(*header);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (elf.sections[i].sh_type == SHT_SYMTAB) {
      read_kernels(elf, elf.sections[i], into);
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
