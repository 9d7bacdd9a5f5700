// Making elements. All text of a program goes through here as text, never as markup.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

let nextId = 0;

// A drawing that says what it shows to those who cannot see it.
function drawing(width, height, title) {
  const id = `drawing-${nextId++}`;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "drawing", role: "img", "aria-labelledby": id },
    svg("title", { id }, title));
}

function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

// Lines of source with their numbers; `mark` is a pair of offsets in the hit line.
function sourceExcerpt(lines, first, last, hit, mark) {
  const rows = [];
  for (let number = first; number <= last; ++number) {
    const text = lines[number];
    if (text === undefined) continue;
    const parts = number === hit && mark
      ? [text.slice(0, mark[0]), element("mark", {}, text.slice(mark[0], mark[1])), text.slice(mark[1])]
      : [text];
    rows.push(element("div", { class: number === hit ? "hit" : null },
      element("span", { class: "number" }, String(number)), ...parts));
  }
  return element("pre", { class: "source" }, ...rows);
}

function copyable(text, label) {
  const button = element("button", { type: "button", "aria-label": `Copy ${label}` }, "Copy");
  button.addEventListener("click", () => {
    const done = () => { button.textContent = "Copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
    else {
      // A page opened from a file may not have the clipboard; selecting is the next best.
      getSelection().selectAllChildren(button.previousSibling);
    }
  });
  return element("div", { class: "copy" }, element("pre", {}, text), button);
}
