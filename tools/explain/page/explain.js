// A source file twice, line by line: with a check at every access, and with the checks as they were placed.
"use strict";

let data = null;

const byLine = (items) => {
  const lines = new Map();
  for (const item of items) {
    if (!lines.has(item.line)) lines.set(item.line, []);
    lines.get(item.line).push(item);
  }
  return lines;
};

// Pressing or focusing a check shows which accesses it stands for, and the other way round.
function relate(node, kind, own, others) {
  node.dataset[kind] = own;
  const show = () => {
    for (const marked of document.querySelectorAll(".related")) marked.classList.remove("related");
    node.classList.add("related");
    for (const other of others) {
      for (const related of document.querySelectorAll(`[data-${kind === "check" ? "access" : "check"}="${other}"]`)) related.classList.add("related");
    }
  };
  node.addEventListener("click", show);
  node.addEventListener("focus", show);
  return node;
}

function everyAccess(accesses) {
  return accesses.map((access) => relate(element("button", { type: "button", class: "check" }, `${access.indent}^ check ${access.what}`),
    "access", access.number, access.checks));
}

function placedChecks(checks) {
  return checks.map((check) => relate(element("button", { type: "button", class: "check" }, `CHECK ${check.number}: ${check.text}`),
    "check", check.number, check.accesses));
}

function notes(accesses) {
  return accesses.map((access) => relate(element("button", { type: "button", class: "note" }, `${access.indent}^ ${access.fate}`),
    "access", access.number, access.checks));
}

function drawLines() {
  const accesses = byLine(data.accesses);
  const checks = byLine(data.checks);
  const busy = [...accesses.keys(), ...checks.keys()];
  const near = new Set(busy.flatMap((line) => [line - 2, line - 1, line, line + 1, line + 2]));
  return data.lines.map((text, index) => {
    const line = index + 1;
    const here = accesses.get(line) ?? [];
    return element("tr", { class: near.has(line) ? null : "far", "data-line": line },
      element("td", { class: "number" }, String(line)),
      element("td", { class: "every" }, text, ...everyAccess(here)),
      element("td", { class: "placed" }, ...placedChecks(checks.get(line) ?? []), text, ...notes(here)));
  });
}

function drawFunctions() {
  const head = ["Function", "Line", "Accesses", "Checks", "Unchecked accesses"];
  const rows = data.functions.map((f) => element("tr", {}, element("th", { scope: "row" }, f.name), ...[f.line || "", f.accesses, f.checks, f.unchecked].map((value) => element("td", {}, String(value)))));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, ...rows));
}

function startPage() {
  data = JSON.parse(document.getElementById("data").textContent);
  document.getElementById("title").textContent = data.source;
  document.title = `BigFoot: ${data.source}`;
  const elsewhere = data.elsewhere ? ` ${plural(data.elsewhere, "more access or check", "more accesses and checks")} in other files.` : "";
  document.getElementById("totals").textContent =
    `Detector ${data.detector}: ${plural(data.totals.accesses, "access", "accesses")}, ${plural(data.totals.checks, "check")}.${elsewhere}`;
  document.getElementById("functions").append(drawFunctions());
  document.querySelector("#source tbody").append(...drawLines());
  document.getElementById("only").addEventListener("input", (event) => {
    for (const row of document.querySelectorAll(".far")) row.classList.toggle("hidden", event.target.checked);
  });
}
