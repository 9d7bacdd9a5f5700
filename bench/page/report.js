// The page: which plots and tables there are, from the campaign that is embedded in it.
"use strict";

const campaign = JSON.parse(document.getElementById("campaign").textContent);
const detectors = campaign.detectors;
const others = detectors.filter((name) => name !== "base");

// What is shown of a group, in this order. `draw` is absent where a table is enough.
const METRICS = [
  { field: "check_ratio", title: "Check ratio", unit: "race checks per access", mean: "mean",
    draw: (rows) => barChart(rows, others, "check_ratio", "Check ratio by program", 1) },
  { field: "overhead_vs_fasttrack", title: "Overhead relative to fasttrack", unit: "1 is fasttrack's own overhead", mean: "geo mean",
    draw: (rows) => dotChart(rows, others.filter((d) => d !== "fasttrack"), "overhead_vs_fasttrack", "Overhead relative to fasttrack by program") },
  { field: "overhead_vs_tsan", title: "Overhead relative to ThreadSanitizer", unit: "1 is ThreadSanitizer's own overhead", mean: "geo mean",
    draw: (rows) => dotChart(rows, others.filter((d) => d !== "tsan"), "overhead_vs_tsan", "Overhead relative to ThreadSanitizer by program") },
  { field: "slowdown", title: "Slowdown", unit: "running time relative to the uninstrumented program", mean: "geo mean",
    draw: (rows) => dotChart(rows, others, "slowdown", "Slowdown by program") },
  { field: "rss_ratio", title: "Memory", unit: "peak resident memory relative to the uninstrumented program", mean: "geo mean",
    draw: (rows) => dotChart(rows, others, "rss_ratio", "Peak memory by program") },
  { field: "shadow_fraction", title: "Shadow fraction", unit: "shadow locations per array element", mean: "mean",
    draw: (rows) => barChart(rows, others, "shadow_fraction", "Shadow locations per array element by program", 1) },
  { field: "compile_ratio", title: "Compile time", unit: "processor time relative to the plain compiler", mean: "geo mean",
    draw: (rows) => dotChart(rows, others, "compile_ratio", "Compile time by program") },
];

function cellOf(row, detector, field) {
  const figures = row.figures[detector];
  const value = figures?.[field];
  const cell = element("td");
  if (value !== null && value !== undefined) {
    cell.textContent = formatNumber(value);
    Object.assign(cell.dataset, { program: row.program, detector, field, value });
  } else if (figures && figures.status !== "ok") {
    cell.textContent = figures.status;
    cell.title = figures.detail;
    cell.className = "failed";
  } else {
    cell.textContent = "-";
  }
  return cell;
}

function metricTable(group, rows, metric) {
  const shown = detectorsWith(rows, others, metric.field);
  const head = element("tr", {}, element("th", { scope: "col" }, "program"), element("th", { scope: "col" }, "size"),
    ...shown.map((name) => element("th", { scope: "col" }, name)));
  const body = rows.map((row) => element("tr", {}, element("th", { scope: "row" }, row.program), element("td", {}, row.size),
    ...shown.map((name) => cellOf(row, name, metric.field))));
  const meanRow = (label, means, suite) => element("tr", {}, element("th", { scope: "row" }, label), element("td"), ...shown.map((name) => {
    const value = means[name]?.[metric.field];
    const cell = element("td", {}, formatNumber(value));
    Object.assign(cell.dataset, { [suite ? "suiteMean" : "mean"]: name, field: metric.field, value }, suite ? { suite } : {});
    return cell;
  }));
  const means = [
    ...Object.entries(group.suite_means).map(([suite, own]) => meanRow(`${metric.mean} ${suite}`, own, suite)),
    meanRow(metric.mean, group.means),
  ];
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${metric.title}, table` },
    element("table", {}, element("caption", {}, `${metric.title}: ${metric.unit} (${group.title})`),
      element("thead", {}, head), element("tbody", {}, ...body), element("tfoot", {}, ...means)));
}

function baseTable(group, rows) {
  const head = ["program", "size", "base s", "± %", "kernel s", "base MB"].map((text) => element("th", { scope: "col" }, text));
  const body = rows.map((row) => {
    const base = row.figures.base;
    const megabytes = base?.peak_rss_bytes ? base.peak_rss_bytes / 2 ** 20 : null;
    const cells = [formatNumber(base?.seconds), base?.spread === null ? "-" : (100 * base.spread).toFixed(1), formatNumber(base?.kernel_seconds), formatNumber(megabytes)];
    return element("tr", {}, element("th", { scope: "row" }, row.program), element("td", {}, row.size), ...cells.map((text) => element("td", {}, text)));
  });
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The uninstrumented programs, table" },
    element("table", {}, element("caption", {}, `Medians of ${campaign.runs} runs; ± is half the distance of the quartiles (${group.title})`),
      element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

function raceTable(group) {
  const rows = group.rows.filter((row) => row.racy || others.some((name) => row.figures[name]?.races));
  if (rows.length === 0) return null;
  // What silence and reports mean depends on what is known of the program, and whether it is bad news.
  const verdicts = {
    "race-free": { silent: ["none", false], loud: ["false alarm", true] },
    racy: { silent: ["missed", true], loud: ["found", false] },
    unknown: { silent: ["none", false], loud: ["reported", false] },
  };
  const verdict = (row, name) => {
    const figures = row.figures[name];
    if (!figures || figures.status !== "ok") return [figures ? figures.status : "-", true];
    return verdicts[row.race_freedom][figures.races ? "loud" : "silent"];
  };
  const body = rows.map((row) => element("tr", {}, element("th", { scope: "row" }, row.program), element("td", {}, row.race_freedom),
    ...others.map((name) => {
      const [text, bad] = verdict(row, name);
      return element("td", bad ? { class: "failed" } : {}, text);
    })));
  const head = ["program", "is", ...others].map((text) => element("th", { scope: "col" }, text));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Races reported, table" },
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

function section(title, note, ...content) {
  const present = content.filter(Boolean);
  if (present.length === 0) return null;
  return element("section", {}, element("h2", {}, title), ...(note ? [element("p", { class: "note" }, note)] : []), ...present);
}

function withTable(drawn, table) {
  if (!drawn) return null;
  return element("figure", {}, drawn, element("details", {}, element("summary", {}, "Table"), table));
}

function metricSection(group, rows, metric) {
  return section(metric.title, metric.unit, withTable(metric.draw(rows), metricTable(group, rows, metric)));
}

function scatterSection(rows) {
  const drawn = scatter(rows, others, "Time and memory of every program relative to ThreadSanitizer");
  return section("Time and memory against ThreadSanitizer", "One mark per program and detector; below and left of the lines is better than ThreadSanitizer.",
    drawn && element("figure", {}, drawn));
}

const GROWTH_UNITS = { threads: "number of threads", size: "data size" };

// The rows of some groups by program, and within a program by the row's `field`.
function rowsByProgram(groups, field) {
  const programs = new Map();
  for (const group of groups) {
    for (const row of group.rows) {
      if (row.racy) continue;
      if (!programs.has(row.program)) programs.set(row.program, new Map());
      programs.get(row.program).set(row[field], row);
    }
  }
  return programs;
}

function growthSection(growth) {
  const groups = growth.groups.map((number) => campaign.groups[number]);
  const steps = groups.map((group) => group[growth.by]);
  const unit = GROWTH_UNITS[growth.by];
  const figures = [];
  for (const [program, rows] of rowsByProgram(groups, growth.by)) {
    const drawn = growthChart(program, rows, steps, others, "slowdown", `Slowdown of ${program} by ${unit}`);
    if (drawn) figures.push(element("figure", {}, element("h3", {}, program), drawn));
  }
  return figures.length ? section(`Growth with ${growth.by}`, `Slowdown by ${unit}.`, element("div", { class: "multiples" }, ...figures)) : null;
}

function showGroup(index) {
  const group = campaign.groups[index];
  const rows = group.rows.filter((row) => !row.racy);
  const sections = METRICS.map((metric) => metricSection(group, rows, metric));
  const plots = [...sections.slice(0, 5), scatterSection(rows), ...sections.slice(5)].filter(Boolean);
  const content = document.getElementById("content");
  content.replaceChildren(...[
    element("div", { class: "figures" }, ...plots), ...campaign.growths.map(growthSection),
    section("Races reported", "Racy variants must be reported, and nothing else.", raceTable(group)),
    section("The uninstrumented programs", "", baseTable(group, rows)),
  ].filter(Boolean));
  document.querySelectorAll("nav button").forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
}

function showHeader() {
  const runs = `${campaign.runs} run${campaign.runs === 1 ? "" : "s"} of each`;
  document.getElementById("subtitle").textContent =
    `${campaign.started.slice(0, 10)}, ${campaign.machine.cpu ?? "unknown processor"}, ${runs}, medians${campaign.interrupted ? "; interrupted before the end" : ""}`;
  const navigation = document.getElementById("groups");
  campaign.groups.forEach((group, index) => {
    const button = element("button", { type: "button" }, group.title);
    button.addEventListener("click", () => showGroup(index));
    navigation.append(button);
  });
  navigation.hidden = campaign.groups.length < 2;
  for (const name of others) {
    document.getElementById("legend").append(element("span", {}, svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, shape(name, 7, 7, 5)), name));
  }
}

function showMachine() {
  const list = element("dl");
  const entries = { command: campaign.command, "seed of the order": campaign.seed, ...campaign.machine };
  for (const [key, value] of Object.entries(entries)) {
    if (value === null || value === undefined) continue;
    const text = key === "memory_bytes" ? `${(value / 2 ** 30).toFixed(1)} GB` : String(value);
    list.append(element("dt", {}, key.replaceAll("_", " ").replace(" bytes", "")), element("dd", {}, key === "command" ? element("code", {}, text) : text));
  }
  const footer = document.getElementById("machine");
  footer.append(element("h2", {}, "The machine and the command"), list);
  for (const note of campaign.notes) footer.append(element("p", {}, note));
}

showHeader();
showMachine();
if (campaign.groups.length > 0) showGroup(0);
