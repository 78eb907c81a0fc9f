#include "model/kernels/kernel_name.h"

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/kernels/name_parts.h"

namespace lacuna {
namespace {

using enum KernelFact;

struct FactWords {
  std::string_view label, help;
};
constexpr std::array<FactWords, kKernelFactCount> kFactWords{{
    {"Library", "The library that the kernel belongs to."},
    {"Built for", "The generation of GPUs that the code is for; newer ones can run it, but have better."},
    {"Operation", "What it does, in the words of its name."},
    {"Merged operators", "Inductor made one kernel of these operators: what lies between them stays in registers."},
    {"Operands", "The type of what it reads."},
    {"Result", "The type of what it writes."},
    {"Added up in", "The type of the sums: fp32 keeps what bf16 and fp16 would lose."},
    {"Units",
     "Tensor cores (AMD: matrix cores) multiply small matrices in one instruction, whose shape m x n x k stands here; "
     "FMA units multiply number by number and are several times slower."},
    {"Tile",
     "The part of the result that one block of threads computes. A result smaller than some tiles leaves GPUs idle."},
    {"Stages", "How many steps along k are loaded ahead, to hide the latency of memory."},
    {"Layout", "Which operand lies transposed in memory, or where the channels lie."},
    {"Split k",
     "The sum over k is shared by several blocks, and their parts are added up later: for small results with a long "
     "k."},
    {"Cluster", "How many blocks work together and share what they load."},
    {"Epilogue", "What is done to the product before it is written, without a kernel of its own."},
    {"Head size", "Elements of a query, key or value of one head."},
    {"Variant", "What else distinguishes it from similar kernels."},
    {"Algorithm", "How it is computed."},
    {"Vector", "How many elements a thread reads at once; more use the memory better."},
    {"Alignment", "What the addresses of operands must be multiples of, in elements."},
}};

/// "A", "An", "The", or nothing where the noun needs none.
std::string_view article(std::string_view words, std::string_view noun, bool goes_on) {
  for (const std::string_view known : {"gradient", "sum", "parts", "mean", "start"})
    if (noun.starts_with(known)) return "The ";
  for (const std::string_view known :
       {"attention", "elementwise", "dropout", "max pooling", "adaptive", "concatenation", "quantisation", "indexing",
        "reduction", "operation", "negative", "sums", "unrolling", "sorting", "reordering"})
    if (!goes_on && noun.starts_with(known) && words.starts_with(known)) return "";
  constexpr std::string_view kVowels = "aeiou";
  const bool is_vowel = kVowels.find(to_lower(words.front())) != kVowels.npos;
  // As it is spoken: "an fp32 …", "an RMS norm", but "a uint8 …".
  const bool is_spelled = words.starts_with("fp") || words.starts_with("mx") || words.starts_with("RMS");
  return is_spelled || (is_vowel && !words.starts_with("uint")) ? "An " : "A ";
}

/// The first part of a value, before what explains it: "TN: A transposed, B not" -> behind the colon, lower case.
std::string_view meaning(std::string_view value) {
  const std::size_t colon = value.find(": ");
  return colon == value.npos ? value : value.substr(colon + 2);
}

std::string compose(const Reading& read) {
  const KernelName& name = read.name;
  std::string words;
  const std::string& operands = name[kOperands];
  // "a bf16 matrix product", but "the gradient of a batch norm in fp32".
  const bool is_adjective =
      (name.kernel_class == KernelClass::kGemm || name.kernel_class == KernelClass::kConvolution ||
       name.kernel_class == KernelClass::kCommunication) &&
      read.noun.find(" of ") == std::string::npos && operands.find(' ') == std::string::npos;
  if (!operands.empty() && is_adjective) words += operands + ' ';
  words += read.noun;
  const bool is_description = operands.starts_with("any ") || operands.ends_with(" keys");
  if (!operands.empty() && !is_adjective)
    words += (is_description ? " of " : read.noun.starts_with("quantisation") ? " from " : " in ") + operands;
  const std::string& units = name[kUnits];
  if (units.starts_with("tensor cores") || units.starts_with("matrix cores")) {
    words += units.starts_with("tensor") ? " on tensor cores" : " on matrix cores";
    if (const std::size_t comma = units.find(", "); comma != units.npos)
      words += fmt::format(" ({})", units.substr(comma + 2));
  } else if (!units.empty()) {
    words += " without tensor cores";
  }
  words += read.tail;
  if (!name[kTile].empty()) words += ", tile " + std::string(name[kTile].substr(0, name[kTile].find(':')));
  if (!name[kStages].empty()) words += ", " + name[kStages];
  if (!name[kLayout].empty()) {
    const std::string_view layout = meaning(name[kLayout]);
    // "A transposed, B not": the second half goes without saying.
    words += fmt::format(", {}", layout.substr(0, layout.find(", ")));
  }
  if (name[kSplitK] == "yes" || name[kSplitK].starts_with("in ")) words += ", split k";
  if (!name[kEpilogue].empty()) words += ", with " + name[kEpilogue];
  if (!name[kHeadSize].empty()) words += ", head size " + name[kHeadSize];
  if (name.kernel_class == KernelClass::kAttention && !name[kVariant].empty()) words += ", " + name[kVariant];
  if (name.kernel_class == KernelClass::kCommunication) {
    if (!name[kOperation].empty()) words += " (" + name[kOperation] + ')';
    // What stands behind a colon is no fact of the call.
    if (!name[kAlgorithm].empty() && name[kAlgorithm].find(": what") == std::string::npos)
      words += ", " + name[kAlgorithm];
  }
  const bool says_library = read.tail.find("Inductor") != std::string::npos;
  if (!name[kLibrary].empty() && !says_library) words += ", of " + name[kLibrary];
  if (!name[kArchitecture].empty())
    words += " for " + std::string(name[kArchitecture].substr(0, name[kArchitecture].find(" (")));
  std::string sentence = fmt::format("{}{}.", article(words, read.noun, !read.tail.empty()), words);
  if (sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  return sentence;
}

/// "vectorized_elementwise_kernel: mul", "cutlass_80_tensorop_…": what tells it from others, without the rest.
std::string short_title(const NameParts& parts, const KernelName& name) {
  std::string title = parts.leaf;
  // Wrappers of what they run: "cutlass::Kernel2<cutlass_80_tensorop_…>", "gemvx::kernel<…>".
  const bool is_wrapper = title == "Kernel" || title == "Kernel2" || title == "device_kernel";
  if (is_wrapper && !parts.arguments.empty()) {
    NameParts inner = take_apart(parts.arguments.front());
    while (inner.leaf.starts_with("enable_") && !inner.arguments.empty())
      inner = take_apart(std::string_view(inner.arguments.front()));
    if (inner.leaf.size() > 4) title = inner.leaf;
  } else if (title == "kernel" || title == "kentry") {
    title = parts.qualified;
  }
  const bool is_general = title.find("elementwise_kernel") != title.npos || title == "reduce_kernel" ||
                          title == "multi_tensor_apply_kernel";
  if (is_general && !name[kOperation].empty()) title += ": " + name[kOperation];
  constexpr std::size_t kLongest = 64;
  if (title.size() > kLongest) title = title.substr(0, kLongest - 3) + "…";
  return title;
}

}  // namespace

std::string_view kernel_fact_label(KernelFact fact) {
  return kFactWords[static_cast<std::size_t>(fact)].label;
}

std::string_view kernel_fact_help(KernelFact fact) {
  return kFactWords[static_cast<std::size_t>(fact)].help;
}

std::vector<std::pair<std::string_view, std::string_view>> KernelName::lines() const {
  std::vector<std::pair<std::string_view, std::string_view>> lines;
  for (std::size_t f = 0; f < kKernelFactCount; ++f)
    if (!facts[f].empty()) lines.emplace_back(kFactWords[f].label, facts[f]);
  return lines;
}

KernelName read_kernel_name(std::string_view text) {
  KernelName name;
  name.kernel_class = kernel_class(text);
  NameParts parts = take_apart(text);
  parts.words = words_between(parts.leaf, '_');
  using Grammar = bool (*)(const NameParts&, Reading&);
  // Whose names contain others' words first.
  constexpr Grammar kGrammars[] = {read_triton,  read_collective, read_attention, read_amd,
                                   read_cutlass, read_tensor_rt,  read_cublas,    read_cudnn,
                                   read_cub,     read_aten,       read_onednn};
  for (const Grammar grammar : kGrammars) {
    Reading reading{name, {}, {}};
    if (grammar(parts, reading)) {
      name.sentence = compose(reading);
      break;
    }
    name.facts = {};
  }
  name.title = short_title(parts, name);
  return name;
}

}  // namespace lacuna
