#include "frontends/llvm/remarks.h"

#include <llvm/IR/DiagnosticInfo.h>

#include <string>

#include "frontends/llvm/checks.h"

namespace bigfoot::frontend {
namespace {

constexpr const char* kPass = "bigfoot";

struct Words {
  const char* name;
  const char* text;
};
// By fate; the checks themselves tell of what is checked.
constexpr Words kUnchecked[] = {
    {nullptr, nullptr},
    {"Dropped", "no check, an earlier one covers it"},
    {"Anticipated", "no check, a later one covers it"},
    {"Required", "no check, every caller has checked it"},
};

class Writer {
 public:
  Writer(const LoweredFunction& f, llvm::OptimizationRemarkEmitter& remarks)
      : f_(f), remarks_(remarks) {}

  template <class Remark>
  void about(std::size_t access, const char* name, const std::string& text) {
    const PlainAccess& a = f_.accesses[access];
    remarks_.emit([&] {
      return Remark(kPass, name, llvm::DiagnosticLocation(position(*a.instruction)),
                    a.instruction->getParent())
             << (a.writes ? "write" : "read") << " of " << std::to_string(a.bytes)
             << " bytes: " << text;
    });
  }

  void about(const explain::Check& c) {
    if (c.covers.empty() || c.covers.front().access >= f_.accesses.size()) return;
    const std::size_t first = c.covers.front().access;
    const std::size_t accesses = c.covers.size();
    const bool loop = c.shape != explain::Shape::Single;
    const std::string several = accesses > 1 ? std::to_string(accesses) + " accesses" : "";
    if (accesses > 1 || loop)
      about<llvm::OptimizationRemark>(
          first, "Merged",
          "one check for " + several +
              (loop ? several.empty() ? "a whole loop" : " of a loop" : ""));
    about<llvm::OptimizationRemarkMissed>(first, "Checked", "checked here because " + c.reason);
  }

 private:
  const LoweredFunction& f_;
  llvm::OptimizationRemarkEmitter& remarks_;
};

}  // namespace

void emit_remarks(const explain::Function& account, const LoweredFunction& f,
                  llvm::OptimizationRemarkEmitter& remarks) {
  Writer write(f, remarks);
  for (std::size_t i = 0; i < f.accesses.size(); ++i) {
    const Words& words = kUnchecked[static_cast<std::size_t>(account.accesses[i].fate)];
    if (words.name != nullptr) write.about<llvm::OptimizationRemark>(i, words.name, words.text);
  }
  for (const explain::Check& c : account.checks) write.about(c);
}

}  // namespace bigfoot::frontend
