// The plots. Each takes rows of the campaign and returns an SVG, or null if there is nothing to plot.
"use strict";

const LABEL_WIDTH = 112;
const CHART_WIDTH = 520;

function valuesOf(rows, detectors, field) {
  const values = [];
  for (const row of rows) {
    for (const detector of detectors) {
      const value = row.figures[detector]?.[field];
      if (value !== null && value !== undefined) values.push(value);
    }
  }
  return values;
}

function detectorsWith(rows, detectors, field) {
  return detectors.filter((detector) => valuesOf(rows, [detector], field).length > 0);
}

const GROUP_HEIGHT = 18;

// Where each row starts and all end: rows of a group follow each other, under its name if there is more than one.
function placeRows(rows, rowHeight, root) {
  const named = new Set(rows.map((row) => row.group)).size > 1;
  let bottom = 8;
  let group;
  const tops = rows.map((row) => {
    if (named && row.group !== group) {
      group = row.group;
      root.append(svg("text", { class: "group", x: LABEL_WIDTH - 8, y: bottom + 13, "text-anchor": "end" }, group));
      bottom += GROUP_HEIGHT;
    }
    bottom += rowHeight;
    return bottom - rowHeight;
  });
  root.setAttribute("viewBox", `0 0 ${CHART_WIDTH} ${bottom + 22}`);
  return { tops, bottom };
}

// A row of bars per program, from zero: for ratios. `reference` is a value to draw a line at.
function barChart(rows, detectors, field, title, reference) {
  const shown = detectorsWith(rows, detectors, field);
  if (shown.length === 0) return null;
  const barHeight = shown.length > 3 ? 6 : 10;
  const rowHeight = shown.length * barHeight + 8;
  const root = drawing(CHART_WIDTH, 0, title, "bars");
  const { tops, bottom } = placeRows(rows, rowHeight, root);
  const high = Math.max(reference ?? 0, ...valuesOf(rows, shown, field)) * 1.04 || 1;
  const scale = linearScale(0, high, LABEL_WIDTH, CHART_WIDTH - 12);
  horizontalAxis(root, scale, 8, bottom);
  rows.forEach((row, i) => {
    const top = tops[i];
    root.append(rowLabel(row, top + rowHeight / 2));
    shown.forEach((detector, j) => {
      const value = row.figures[detector]?.[field];
      if (value === null || value === undefined) return;
      const width = Math.max(scale.place(value) - scale.place(0), 0.5);
      const bar = svg("rect", { x: scale.place(0), y: top + 4 + j * barHeight, width, height: barHeight - 1, fill: colourOf(detector) });
      bar.dataset.end = scale.place(value);
      root.append(mark(bar, { program: row.program, detector, field, value }));
    });
  });
  if (reference !== undefined) root.append(referenceLine(scale.place(reference), 8, bottom));
  return root;
}

// A line of dots per program on a logarithmic axis: for factors, where half and double are alike.
function dotChart(rows, detectors, field, title) {
  const shown = detectorsWith(rows, detectors, field);
  if (shown.length === 0) return null;
  const rowHeight = 20;
  const root = drawing(CHART_WIDTH, 0, title, "dots");
  const { tops, bottom } = placeRows(rows, rowHeight, root);
  const values = valuesOf(rows, shown, field);
  const scale = logScale(Math.min(1, ...values) * 0.95, Math.max(2, ...values) * 1.08, LABEL_WIDTH, CHART_WIDTH - 12);
  horizontalAxis(root, scale, 8, bottom, (tick) => `${formatNumber(tick)}×`);
  root.append(referenceLine(scale.place(1), 8, bottom));
  rows.forEach((row, i) => {
    const y = tops[i] + rowHeight / 2;
    root.append(rowLabel(row, y));
    const marks = [];
    for (const detector of shown) {
      const value = row.figures[detector]?.[field];
      if (value === null || value === undefined) continue;
      const dot = shape(detector, scale.place(value), y, 5);
      dot.dataset.end = scale.place(value);
      marks.push(mark(dot, { program: row.program, detector, field, value }));
    }
    if (marks.length === 0) return;
    const ends = marks.map((node) => Number(node.dataset.end));
    root.append(svg("line", { class: "stem", x1: Math.min(...ends), x2: Math.max(...ends), y1: y, y2: y }), ...marks);
  });
  return root;
}

// Time against memory, both relative to ThreadSanitizer: lower left is better in both.
function scatter(rows, detectors, title) {
  const points = [];
  for (const row of rows) {
    const tsan = row.figures.tsan;
    if (!tsan?.seconds) continue;
    for (const detector of detectors) {
      const figures = row.figures[detector];
      if (detector === "tsan" || detector === "base" || !figures?.seconds || !figures.rss_vs_tsan) continue;
      points.push({ program: row.program, detector, time: figures.seconds / tsan.seconds, memory: figures.rss_vs_tsan });
    }
  }
  if (points.length === 0) return null;
  const range = (values) => [Math.min(0.5, ...values) * 0.9, Math.max(2, ...values) * 1.1];
  const height = 380;
  const x = logScale(...range(points.map((p) => p.time)), 56, CHART_WIDTH - 16);
  const y = logScale(...range(points.map((p) => p.memory)), height - 44, 12);
  const root = drawing(CHART_WIDTH, height, title, "scatter");
  horizontalAxis(root, x, 12, height - 44, (tick) => `${formatNumber(tick)}×`);
  verticalAxis(root, y, 56, CHART_WIDTH - 16, (tick) => `${formatNumber(tick)}×`);
  root.append(referenceLine(x.place(1), 12, height - 44),
    svg("line", { class: "reference", x1: 56, x2: CHART_WIDTH - 16, y1: y.place(1), y2: y.place(1) }),
    svg("text", { x: CHART_WIDTH / 2, y: height - 8, "text-anchor": "middle" }, "time relative to tsan"),
    svg("text", { x: 14, y: height / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${height / 2})` }, "memory relative to tsan"));
  for (const point of points) {
    const node = shape(point.detector, x.place(point.time), y.place(point.memory), 5);
    node.setAttribute("fill-opacity", 0.8);
    Object.assign(node.dataset, { x: x.place(point.time), y: y.place(point.memory), memory: point.memory });
    root.append(mark(node, { program: point.program, detector: point.detector, field: "time_vs_tsan", value: point.time }));
  }
  return root;
}

// How a figure grows with threads or size, one small plot per program. `steps` are the values along x.
function growthChart(program, rowsByStep, steps, detectors, field, title) {
  const width = 260;
  const height = 170;
  const rows = steps.map((step) => rowsByStep.get(step)).filter(Boolean);
  const shown = detectorsWith(rows, detectors, field);
  if (shown.length === 0) return null;
  const place = (index) => 44 + (steps.length < 2 ? 0 : (index / (steps.length - 1)) * (width - 60));
  const values = valuesOf(rows, shown, field);
  const y = logScale(Math.min(1, ...values) * 0.95, Math.max(2, ...values) * 1.1, height - 26, 10);
  const root = drawing(width, height, title, "growth");
  verticalAxis(root, y, 44, width - 16, (tick) => `${formatNumber(tick)}×`);
  steps.forEach((step, i) => root.append(svg("g", { class: "tick" },
    svg("text", { x: place(i), y: height - 10, "text-anchor": "middle" }, String(step)))));
  for (const detector of shown) {
    const marks = [];
    steps.forEach((step, i) => {
      const value = rowsByStep.get(step)?.figures[detector]?.[field];
      if (value === null || value === undefined) return;
      const dot = shape(detector, place(i), y.place(value), 3.5);
      Object.assign(dot.dataset, { x: place(i), end: y.place(value) });
      marks.push(mark(dot, { program, detector, field, value, at: String(step) }));
    });
    const path = marks.map((node, i) => `${i ? "L" : "M"}${node.dataset.x},${node.dataset.end}`).join("");
    root.append(svg("path", { class: "line", d: path, stroke: colourOf(detector) }), ...marks);
  }
  return root;
}

function rowLabel(row, y) {
  return svg("text", { x: LABEL_WIDTH - 8, y: y + 4, "text-anchor": "end" }, row.program);
}

function referenceLine(x, top, bottom) {
  return svg("line", { class: "reference", x1: x, x2: x, y1: top, y2: bottom });
}
