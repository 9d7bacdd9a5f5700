// Small tools: elements, scales and number formats. Everything drawn goes through here.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function formatNumber(value, digits = 3) {
  if (value === null || value === undefined) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return value.toFixed(0);
  if (size >= 0.01) return Number(value.toPrecision(digits)).toString();
  return value.toExponential(1);
}

// A scale maps values of [low, high] to pixels of [from, to] and knows its ticks.
function linearScale(low, high, from, to) {
  const place = (value) => from + ((value - low) / (high - low)) * (to - from);
  return { place, low, high, kind: "linear", ticks: linearTicks(low, high) };
}

function logScale(low, high, from, to) {
  const span = Math.log(high / low);
  const place = (value) => from + (Math.log(value / low) / span) * (to - from);
  return { place, low, high, kind: "log", ticks: logTicks(low, high) };
}

function linearTicks(low, high, wanted = 5) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function logTicks(low, high) {
  const steps = high / low > 200 ? [1] : high / low > 20 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(12));
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks;
}

// One shape per detector, so that colour is not all that tells them apart.
const SHAPES = {
  base: (x, y, r) => svg("circle", { cx: x, cy: y, r: r * 0.8 }),
  fasttrack: (x, y, r) => polygon(x, y, r, [[-1, -1], [1, -1], [1, 1], [-1, 1]], 0.8),
  redcard: (x, y, r) => polygon(x, y, r, [[0, 1.1], [1, -0.8], [-1, -0.8]], 1),
  slimstate: (x, y, r) => polygon(x, y, r, [[0, -1.1], [1, 0.8], [-1, 0.8]], 1),
  slimcard: (x, y, r) => polygon(x, y, r, [[-1, -0.35], [1, -0.35], [1, 0.35], [-1, 0.35]], 1.1),
  bigfoot: (x, y, r) => svg("circle", { cx: x, cy: y, r }),
  tsan: (x, y, r) => polygon(x, y, r, [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]], 1),
  helgrind: (x, y, r) => polygon(x, y, r, [[-0.35, -1], [0.35, -1], [0.35, 1], [-0.35, 1]], 1.1),
  drd: (x, y, r) => polygon(x, y, r, [[-1, 0], [-0.5, -0.9], [0.5, -0.9], [1, 0], [0.5, 0.9], [-0.5, 0.9]], 1),
};

function polygon(x, y, r, corners, size) {
  const points = corners.map(([dx, dy]) => `${x + dx * r * size},${y + dy * r * size}`).join(" ");
  return svg("polygon", { points });
}

// A variant (redcard-no-proxies) looks like its detector, only paler.
const kindOf = (detector) => detector.replace(/-no-proxies$/, "");
const colourOf = (detector) => `var(--${kindOf(detector)})`;

function shape(detector, x, y, r) {
  const node = SHAPES[kindOf(detector)](x, y, r);
  node.setAttribute("fill", colourOf(detector));
  if (kindOf(detector) !== detector) node.setAttribute("fill-opacity", "0.45");
  return node;
}

// Makes a node a mark: what it stands for can be read from its attributes, as tests do, and as a tooltip.
function mark(node, { program, detector, field, value, at }) {
  node.classList.add("mark");
  Object.assign(node.dataset, { program, detector, field, value });
  if (at !== undefined) node.dataset.at = at;
  node.append(svg("title", {}, `${program}, ${detector}: ${formatNumber(value)}${at === undefined ? "" : ` (${at})`}`));
  return node;
}

let nextId = 0;

// An SVG that says what it shows to those who cannot see it; the table beside it has the numbers.
function drawing(width, height, title, kind) {
  const id = `drawing-${nextId++}`;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": id });
  root.dataset.kind = kind;
  root.append(svg("title", { id }, title));
  return root;
}

// Axes write their scale down, so that a position can be turned back into a value.
function horizontalAxis(root, scale, top, bottom, format = formatNumber) {
  root.dataset.xScale = JSON.stringify({ kind: scale.kind, low: scale.low, high: scale.high, from: scale.place(scale.low), to: scale.place(scale.high) });
  for (const tick of scale.ticks) {
    const x = scale.place(tick);
    root.append(svg("g", { class: "tick" }, svg("line", { x1: x, x2: x, y1: top, y2: bottom }),
      svg("text", { x, y: bottom + 14, "text-anchor": "middle" }, format(tick))));
  }
}

function verticalAxis(root, scale, left, right, format = formatNumber) {
  root.dataset.yScale = JSON.stringify({ kind: scale.kind, low: scale.low, high: scale.high, from: scale.place(scale.low), to: scale.place(scale.high) });
  for (const tick of scale.ticks) {
    const y = scale.place(tick);
    root.append(svg("g", { class: "tick" }, svg("line", { x1: left, x2: right, y1: y, y2: y }),
      svg("text", { x: left - 5, y: y + 4, "text-anchor": "end" }, format(tick))));
  }
}
