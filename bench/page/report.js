// The page: which plots and tables there are, from the campaign that is embedded in it.
"use strict";

const campaign = JSON.parse(document.getElementById("campaign").textContent);
const detectors = campaign.detectors;
const others = detectors.filter((name) => name !== "base");

// What is shown of a setting, in this order. `draw` is absent where a table is enough.
const METRICS = [
  { field: "overhead_vs_tsan", title: "Overhead relative to ThreadSanitizer", unit: "1 is ThreadSanitizer's own overhead", mean: "geo mean",
    draw: (rows) => dotChart(rows, others.filter((d) => d !== "tsan"), "overhead_vs_tsan", "Overhead relative to ThreadSanitizer by program") },
  { field: "check_ratio", title: "Check ratio", unit: "race checks per access", mean: "mean",
    draw: (rows) => barChart(rows, others, "check_ratio", "Check ratio by program", 1) },
  { field: "cpu_overhead_vs_tsan", title: "Overhead relative to ThreadSanitizer, in processor time", unit: "1 is ThreadSanitizer's own overhead", mean: "geo mean",
    draw: (rows) => dotChart(rows, others.filter((d) => d !== "tsan"), "cpu_overhead_vs_tsan", "Overhead in processor time relative to ThreadSanitizer by program") },
  { field: "instruction_overhead_vs_tsan", title: "Overhead relative to ThreadSanitizer, in instructions", unit: "1 is ThreadSanitizer's own overhead", mean: "geo mean",
    draw: (rows) => dotChart(rows, others.filter((d) => d !== "tsan"), "instruction_overhead_vs_tsan", "Overhead in instructions relative to ThreadSanitizer by program") },
  { field: "overhead_vs_fasttrack", title: "Overhead relative to fasttrack", unit: "1 is fasttrack's own overhead", mean: "geo mean",
    draw: (rows) => dotChart(rows, others.filter((d) => d !== "fasttrack"), "overhead_vs_fasttrack", "Overhead relative to fasttrack by program") },
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

function metricTable(setting, rows, metric) {
  const shown = detectorsWith(rows, others, metric.field);
  const head = element("tr", {}, ...["program", "group", "size"].map((text) => element("th", { scope: "col" }, text)),
    ...shown.map((name) => element("th", { scope: "col" }, name)));
  const body = rows.map((row) => element("tr", {}, element("th", { scope: "row" }, row.program), element("td", { class: "name" }, row.group), element("td", {}, row.size),
    ...shown.map((name) => cellOf(row, name, metric.field))));
  const meanRow = ([group, summary]) => element("tr", {}, element("th", { scope: "row" }, `${metric.mean} ${group}`), element("td"), element("td"), ...shown.map((name) => {
    const value = summary.means[name]?.[metric.field];
    const cell = element("td", {}, formatNumber(value));
    Object.assign(cell.dataset, { mean: name, group, field: metric.field, value });
    return cell;
  }));
  const means = Object.entries(setting.groups).map(meanRow);
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${metric.title}, table` },
    element("table", {}, element("caption", {}, `${metric.title}: ${metric.unit} (${setting.title})`),
      element("thead", {}, head), element("tbody", {}, ...body), element("tfoot", {}, ...means)));
}

function baseTable(setting, rows) {
  const head = ["program", "group", "size", "base s", "base cpu s", "± %", "kernel s", "base MB"].map((text) => element("th", { scope: "col" }, text));
  const body = rows.map((row) => {
    const base = row.figures.base;
    const megabytes = base?.peak_rss_bytes ? base.peak_rss_bytes / 2 ** 20 : null;
    const cells = [formatNumber(base?.seconds), formatNumber(base?.cpu_seconds), base?.spread === null ? "-" : (100 * base.spread).toFixed(1), formatNumber(base?.kernel_seconds), formatNumber(megabytes)];
    return element("tr", {}, element("th", { scope: "row" }, row.program), element("td", { class: "name" }, row.group), element("td", {}, row.size), ...cells.map((text) => element("td", {}, text)));
  });
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The uninstrumented programs, table" },
    element("table", {}, element("caption", {}, `Medians of ${campaign.runs} runs; ± is half the distance of the quartiles (${setting.title})`),
      element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

function raceTable(setting) {
  const rows = setting.rows.filter((row) => row.racy || others.some((name) => row.figures[name]?.races));
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

function metricSection(setting, rows, metric) {
  return section(metric.title, metric.unit, withTable(metric.draw(rows), metricTable(setting, rows, metric)));
}

function scatterSection(rows) {
  const drawn = scatter(rows, others, "Time and memory of every program relative to ThreadSanitizer");
  return section("Time and memory against ThreadSanitizer", "One mark per program and detector; below and left of the lines is better than ThreadSanitizer.",
    drawn && element("figure", {}, drawn));
}

const GROWTH_UNITS = { threads: "number of threads", size: "data size" };

// The rows of some settings by program, and within a program by the row's `field`.
function rowsByProgram(settings, field) {
  const programs = new Map();
  for (const setting of settings) {
    for (const row of setting.rows) {
      if (row.racy) continue;
      if (!programs.has(row.program)) programs.set(row.program, new Map());
      programs.get(row.program).set(row[field], row);
    }
  }
  return programs;
}

function growthSection(growth) {
  const settings = growth.settings.map((number) => campaign.settings[number]);
  const steps = settings.map((setting) => setting[growth.by]);
  const unit = GROWTH_UNITS[growth.by];
  const figures = [];
  for (const [program, rows] of rowsByProgram(settings, growth.by)) {
    const drawn = growthChart(program, rows, steps, others, "slowdown", `Slowdown of ${program} by ${unit}`);
    if (drawn) figures.push(element("figure", {}, element("h3", {}, program), drawn));
  }
  return figures.length ? section(`Growth with ${growth.by}`, `Slowdown by ${unit}.`, element("div", { class: "multiples" }, ...figures)) : null;
}

function showSetting(index) {
  const setting = campaign.settings[index];
  const rows = setting.rows.filter((row) => !row.racy);
  const sections = METRICS.map((metric) => metricSection(setting, rows, metric));
  const plots = [...sections.slice(0, 7), scatterSection(rows), ...sections.slice(7)].filter(Boolean);
  const content = document.getElementById("content");
  content.replaceChildren(...[
    element("div", { class: "figures" }, ...plots), ...campaign.growths.map(growthSection),
    section("Races reported", "Racy variants must be reported, and nothing else.", raceTable(setting)),
    section("The uninstrumented programs", "", baseTable(setting, rows)),
  ].filter(Boolean));
  document.querySelectorAll("nav button").forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
}

function showHeader() {
  const runs = `${campaign.runs} run${campaign.runs === 1 ? "" : "s"} of each`;
  document.getElementById("subtitle").textContent =
    `${campaign.started.slice(0, 10)}, ${campaign.machine.cpu ?? "unknown processor"}, ${runs}, medians${campaign.interrupted ? "; interrupted before the end" : ""}`;
  document.getElementById("headline").textContent = campaign.headline;
  const navigation = document.getElementById("settings");
  campaign.settings.forEach((setting, index) => {
    const button = element("button", { type: "button" }, setting.title);
    button.addEventListener("click", () => showSetting(index));
    navigation.append(button);
  });
  navigation.hidden = campaign.settings.length < 2;
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
if (campaign.settings.length > 0) showSetting(0);
