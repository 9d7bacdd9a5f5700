#include "frontends/bfj/sites.h"

namespace bigfoot::bfj {
namespace {

class Numberer {
 public:
  explicit Numberer(AllocationSites& result) : result_(result) {}

  SiteId add(std::string name, std::optional<std::int64_t> length) {
    result_.sites.push_back({std::move(name), length});
    return SiteId(result_.sites.size() - 1);
  }
  void visit(const Block& b) {
    for (const StmtPtr& s : b.stmts) {
      std::visit(Overloaded{
                     [&](const NewArray& n) {
                       const auto* literal = std::get_if<IntLiteral>(&n.length->node);
                       result_.of_statement.emplace(
                           &n, add("new_array " + n.target,
                                   literal ? std::optional(literal->value) : std::nullopt));
                     },
                     [&](const If& n) {
                       visit(*n.then_block);
                       visit(*n.else_block);
                     },
                     [&](const Loop& n) { visit(*n.body); },
                     [&](const While& n) { visit(*n.body); },
                     [&](const For& n) { visit(*n.body); },
                     [&](const Try& n) {
                       visit(*n.body);
                       visit(*n.handler);
                     },
                     [](const auto&) {},
                 },
                 s->node);
    }
  }

 private:
  AllocationSites& result_;
};

}  // namespace

AllocationSites allocation_sites(const Program& program) {
  AllocationSites result;
  Numberer number(result);
  for (const Shared& s : program.shared) {
    if (s.length) result.of_shared.emplace(s.name, number.add("shared " + s.name, s.length));
  }
  for (const Class& c : program.classes) {
    for (const Method& m : c.methods) number.visit(*m.body);
  }
  for (const Thread& t : program.threads) number.visit(*t.body);
  return result;
}

}  // namespace bigfoot::bfj
