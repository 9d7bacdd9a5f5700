// The two threads side by side, time going down: what each synchronised with around its access, the edges between
// them, and the one that is missing.
"use strict";

const ROW = 24;
const LANES = [300, 440];  // previous access left, current right
const WIDTH = 740;

// Rows in the order of time. The earlier access stands where its clock and its locks say, the current one is the
// last thing that happened.
function timelineRows(race) {
  const [current, previous] = race.accesses;
  const rows = [];
  [previous, current].forEach((access, lane) => {
    for (const step of historyOf(race, access).steps) rows.push({ lane, step, time: step.time, thread: access.thread });
  });
  rows.sort((a, b) => a.time - b.time);
  const next = historyOf(race, previous).steps[stepsBefore(race, previous)];
  const at = next === undefined ? rows.length : rows.findIndex((row) => row.lane === 0 && row.step === next);
  rows.splice(at, 0, { lane: 0, access: previous });
  rows.push({ lane: 1, access: current });
  return rows;
}

// Pairs of rows: the last release of an object before an acquire of it by the other thread.
function timelineEdges(rows) {
  const edges = [];
  rows.forEach((row, to) => {
    if (row.access || row.step.releases) return;
    const name = edgeName(row.step, row.thread);
    for (let from = to - 1; from >= 0; --from) {
      const other = rows[from];
      if (other.access || !other.step.releases || edgeName(other.step, other.thread) !== name) continue;
      if (other.lane !== row.lane) edges.push([from, to]);
      return;
    }
  });
  return edges;
}

function timelineLabel(race, row) {
  const place = row.access ? mainFrame(row.access.stack) : mainFrame(row.step.stack);
  const where = place.function || place.file !== undefined ? ` (${placeText(place, true)})` : "";
  return (row.access ? `${accessText(row.access).toLowerCase()}` : stepText(race, row.step)) + where;
}

function drawTimeline(race) {
  const rows = timelineRows(race);
  const [current, previous] = race.accesses;
  const height = 40 + rows.length * ROW + 12;
  const y = (index) => 44 + index * ROW;
  const root = drawing(WIDTH, height, "What each thread synchronised with around its access; nothing orders the two accesses");
  [previous, current].forEach((access, lane) => {
    root.append(svg("line", { class: "lane", x1: LANES[lane], x2: LANES[lane], y1: 26, y2: height - 6 }),
      svg("text", { x: LANES[lane], y: 16, "text-anchor": lane === 0 ? "end" : "start", "font-weight": 600 }, threadText(race, access.thread)));
  });
  for (const [from, to] of timelineEdges(rows)) {
    root.append(svg("path", { class: "edge", "data-from": from, "data-to": to, d: `M${LANES[rows[from].lane]},${y(from)}L${LANES[rows[to].lane]},${y(to)}` }));
  }
  const ends = [0, 1].map((lane) => rows.findIndex((row) => row.lane === lane && row.access));
  root.append(svg("path", { class: "missing", d: `M${LANES[0]},${y(ends[0])}L${LANES[1]},${y(ends[1])}` }, svg("title", {}, "nothing orders these two")));
  rows.forEach((row, index) => {
    const left = row.lane === 0;
    const kind = row.access ? (left ? "previous" : "current") : "step";
    root.append(svg("circle", { class: kind, cx: LANES[row.lane], cy: y(index), r: row.access ? 6 : 4 }),
      svg("text", { class: row.access ? null : "muted", "font-weight": row.access ? 700 : null, x: LANES[row.lane] + (left ? -12 : 12), y: y(index) + 4, "text-anchor": left ? "end" : "start" },
        timelineLabel(race, row)));
  });
  return element("div", { class: "scroll" }, root);
}

// The same in words.
function explainMissingEdge(race) {
  const [current, previous] = race.accesses;
  const { published, learnt } = missingEdge(race);
  const list = (steps) => [...new Set(steps.map((step) => stepText(race, step)))].join(", ");
  const first = threadText(race, previous.thread);
  const second = threadText(race, current.thread);
  const lost = [previous, current].filter((access) => historyOf(race, access).incomplete).map((access) => threadText(race, access.thread));
  return [
    element("p", {}, `After its access, ${first} ${published.length > 0 ? `publishes what it did by: ${list(published)}` : "publishes nothing"}. `,
      `Before its own, ${second} ${learnt.length > 0 ? `learns of others by: ${list(learnt)}` : "learns of nobody"}. `,
      "No chain leads from the one to the other, so nothing orders the two accesses."),
    lost.length > 0 && element("p", { class: "muted" }, `Earlier steps of ${lost.join(" and ")} were not kept.`),
  ];
}
