// From a JSON record to the run time's own Report, so that one set of rules (text, fingerprint,
// suppressions, JSON) serves both while the program runs and afterwards.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runtime/report/resolved.h"
#include "tools/report/arena.h"
#include "tools/report/symbols.h"

namespace bigfoot::report {

// The record contradicts itself or the format; the text says where.
struct BadRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Loader {
 public:
  // Without `symbols`, records keep the names they have.
  Loader(Arena& arena, Symbols* symbols) : arena_(arena), symbols_(symbols) {}

  // A record of type race or finding. What has no name yet is symbolised, and the fingerprint is
  // then taken anew. Throws BadRecord.
  rt::report::Report* load(const nlohmann::json& record);

 private:
  using Json = nlohmann::json;

  void load_head(const Json& record);
  void load_modules(const Json& record);
  void load_mutexes(const Json& record);
  void load_threads(const Json& record);
  void load_accesses(const Json& record);
  void load_access(const Json& from, rt::report::ReportAccess& to);
  void load_locks(const Json& from, rt::report::ReportAccess& to);
  void load_object(const Json& record);
  void load_histories(const Json& record);
  void load_step(const Json& from, rt::report::ReportStep& to);
  void load_run(const Json& record);
  void name_object(rt::report::ReportObject& object);
  rt::report::ResolvedStack load_stack(const Json& parent, const char* key);
  const rt::report::ResolvedPc* load_pc(const Json* first, std::size_t count);
  rt::report::ModuleAddress module_place(const Json& from);

  Arena& arena_;
  Symbols* symbols_;
  rt::report::Report* report_ = nullptr;
  rt::report::Module* modules_ = nullptr;
  std::size_t module_count_ = 0;
  bool renamed_ = false;  // something got its name here
};

}  // namespace bigfoot::report
