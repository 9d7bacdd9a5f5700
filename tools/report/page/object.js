// The object that was raced on, and which of its bytes.
"use strict";

const OBJECT_WIDTH = 640;

function objectSentence(race) {
  const object = race.object;
  const size = plural(object.size, "byte");
  if (object.kind === "global") return `Global ${object.name ?? "variable"}, ${size} at ${object.address}.`;
  if (object.kind === "heap") return `${object.freed ? "Freed heap" : "Heap"} block of ${size} at ${object.address}, allocated by ${threadText(race, object.thread)}.`;
  if (object.kind === "stack") return `On the stack of ${threadText(race, object.thread)}.`;
  if (object.kind === "tls") return `Thread-local memory of ${threadText(race, object.thread)}.`;
  if (object.kind === "fd") return `File descriptor ${Number(object.address)}, opened by ${threadText(race, object.thread)}.`;
  return "It is not known what lies there.";
}

// Which element of a row of equal ones the access hits; blocks are often arrays.
function elementText(object, access) {
  const offset = Number(BigInt(access.address) - BigInt(object.address));
  const bytes = access.size === 1 ? `byte ${offset}` : `bytes ${offset} to ${offset + access.size - 1}`;
  const isElement = object.size > access.size && object.size % access.size === 0 && offset % access.size === 0;
  return isElement ? `${bytes}, element ${offset / access.size} if these are ${plural(object.size / access.size, "element")} of ${access.size}` : bytes;
}

// What the source calls it: the marked part of the line.
function expressionText(access) {
  const frame = mainFrame(access.stack);
  const line = frame.file === undefined ? undefined : data.files[frame.file].lines[frame.line];
  return line === undefined || !frame.mark ? null : line.slice(...frame.mark);
}

function drawObject(race) {
  const object = race.object;
  const parts = [element("p", {}, objectSentence(race))];
  const bounded = (object.kind === "global" || object.kind === "heap") && object.size > 0 && race.accesses.length > 0;
  if (bounded) {
    const place = (offset) => 4 + (Math.min(Math.max(offset, 0), object.size) / object.size) * (OBJECT_WIDTH - 8);
    const root = drawing(OBJECT_WIDTH, 74, "The bytes of the object that the two accesses touch");
    root.append(svg("rect", { class: "block", x: 4, y: 22, width: OBJECT_WIDTH - 8, height: 28 }));
    race.accesses.forEach((access, i) => {
      const offset = Number(BigInt(access.address) - BigInt(object.address));
      const from = place(offset);
      const width = Math.max(place(offset + access.size) - from, 3);
      root.append(svg("rect", { class: i === 0 ? "current" : "previous", "data-offset": offset, "data-size": access.size, "fill-opacity": 0.75, x: from, y: i === 0 ? 22 : 36, width, height: 14 }));
    });
    const field = fieldText(race);
    if (field) {
      const middle = place(object.offset + object.hit / 2);
      const anchor = middle < OBJECT_WIDTH / 3 ? "start" : middle > (2 * OBJECT_WIDTH) / 3 ? "end" : "middle";
      root.append(svg("text", { class: "field", x: middle, y: 15, "text-anchor": anchor }, field));
    }
    root.append(svg("text", { class: "muted", x: 4, y: 66 }, "0"), svg("text", { class: "muted", x: OBJECT_WIDTH - 4, y: 66, "text-anchor": "end" }, String(object.size)));
    parts.push(element("div", { class: "scroll" }, root));
    for (const access of race.accesses) {
      const text = expressionText(access);
      const field = access.field ? `, field ${access.field}` : "";
      parts.push(element("p", {}, `${accessText(access)} by ${threadText(race, access.thread)}: ${elementText(object, access)}${field}`,
        text ? ", written as " : ".", text && element("code", {}, text)));
    }
  }
  if (object.allocated !== null && object.allocated !== undefined) parts.push(element("p", { class: "muted" }, "Allocated at:"), drawStack(object.allocated));
  return parts;
}
