// One race, everything about it.
"use strict";

const SHOWN_AROUND = 6;

function drawSource(frame, around = SHOWN_AROUND) {
  const file = frame.file === undefined ? null : data.files[frame.file];
  if (!file) return element("p", { class: "muted" }, "The source is not known: compile with -g.");
  if (!file.found) return element("p", { class: "muted" }, `${file.name} was not found when this page was made (see --path-map).`);
  if (file.lines[frame.line] === undefined) return element("p", { class: "muted" }, `${file.name} has no line ${frame.line}: it has changed since.`);
  return sourceExcerpt(file.lines, frame.line - around, frame.line + around, frame.line, frame.mark);
}

// A frame; pressing it shows the source around the call.
function drawFrame(frame, number) {
  const row = element("li", { class: frame.system || frame.file === undefined ? "library" : null });
  const label = [`#${number} `, element("span", { class: "function" }, frame.function ?? "(unknown)"), " ",
    element("span", { class: "place" }, placeText(frame)), frame.inlined ? " inlined" : "",
    frame.recursive ? element("span", { class: "muted" }, " recursive: further calls of this function are not kept") : ""];
  const hasSource = frame.file !== undefined && data.files[frame.file].lines[frame.line] !== undefined;
  if (!hasSource) {
    row.append(...label);
    return row;
  }
  const button = element("button", { type: "button", "aria-expanded": "false" }, ...label);
  button.addEventListener("click", () => {
    const open = row.querySelector(".source");
    if (open) open.remove();
    else row.append(drawSource(frame, 3));
    button.setAttribute("aria-expanded", String(!open));
  });
  row.append(button);
  return row;
}

// Runs of frames of the C++ library are folded away: they are rarely what one looks for.
function drawStack(number) {
  const stack = stackOf(number);
  if (!stack) return element("p", { class: "muted" }, "The stack is not known.");
  const list = element("ol", { class: "stack" });
  let folded = null;
  framesOf(number).forEach((frame, index) => {
    if (!frame.system) {
      folded = null;
      list.append(drawFrame(frame, index));
      return;
    }
    if (!folded) {
      folded = element("details", { class: "library" }, element("summary", {}, ""), element("ol", { class: "stack" }));
      list.append(element("li", {}, folded));
    }
    folded.lastChild.append(drawFrame(frame, index));
    folded.firstChild.textContent = plural(folded.lastChild.children.length, "frame of the library", "frames of the library");
  });
  if (stack.truncated) list.append(element("li", { class: "muted" }, "outer frames were not kept"));
  return list;
}

function drawAccess(race, access, previous) {
  const frame = mainFrame(access.stack);
  const locks = access.locks.map((lock) => `${mutexText(race, lock.mutex)}${lock.read ? " (for reading)" : ""}`);
  if (access.locksTotal > access.locks.length) locks.push(`${access.locksTotal - access.locks.length} more`);
  return element("section", { class: previous ? "access previous" : "access" },
    element("h4", {}, `${previous ? "Earlier: " : "Then: "}${accessText(access).toLowerCase()} of ${plural(access.size, "byte")} by ${threadText(race, access.thread)}`),
    element("p", { class: "place" }, placeText(frame)),
    drawSource(frame),
    ...(access.orAt ?? []).map((place) => element("p", { class: "place or" }, `or at ${place}: one check stands for both`)),
    element("p", {}, locks.length > 0 ? `Holds ${locks.join(", ")}.` : "Holds no lock."),
    drawStack(access.stack));
}

function drawLocks(race) {
  const holder = (i) => (mutex) => {
    const lock = race.accesses[i].locks.find((held) => held.mutex === mutex);
    if (!lock) return element("td", { class: "muted" }, "not held");
    return element("td", {}, `held${lock.read ? " for reading" : ""}, taken at ${placeText(mainFrame(lock.taken), true)}`);
  };
  const rows = race.mutexes.map((mutex, index) => element("tr", {},
    element("th", { scope: "row" }, mutexText(race, index)),
    holder(1)(index), holder(0)(index),
    element("td", { class: "muted" }, mutex.created === null ? "" : placeText(mainFrame(mutex.created), true))));
  const head = ["Lock", threadText(race, race.accesses[1].thread), threadText(race, race.accesses[0].thread), "Created at"];
  return [
    rows.length > 0 && element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows))),
    ...lockAdvice(race).map((sentence) => element("p", { class: "advice" }, sentence)),
  ];
}

function drawThreads(race) {
  return race.threads.filter((thread) => thread.id !== 0).map((thread) => element("section", {},
    element("p", {}, `${threadText(race, thread.id)} (${thread.running ? "running" : "finished"}${thread.fiber ? ", fiber" : ""}), created by ${threadText(race, thread.creator)} at:`),
    drawStack(thread.created)));
}

function drawRace(race) {
  const found = `Found ${plural(race.records, "time")} by ${plural(race.runs.length, "process", "processes")}. Fingerprint ${race.id}.`;
  const main = mainFrame(mainStack(race));
  const parts = [
    element("h2", {}, `${race.title}: ${variableText(race)}`),
    element("p", { class: "muted" }, `${main.function ?? ""} ${placeText(main)}. ${found}`),
  ];
  const section = (title, id, children) => parts.push(element("section", { id, "aria-label": title }, element("h3", {}, title), ...children));
  if (race.accesses.length === 2) {
    parts.push(element("div", { class: "pair" }, drawAccess(race, race.accesses[1], true), drawAccess(race, race.accesses[0], false)));
    section("Why nothing orders them", "why", [drawTimeline(race), ...explainMissingEdge(race)]);
    section("Locks", "locks", drawLocks(race));
  } else if (race.where !== null) {
    parts.push(drawSource(mainFrame(race.where)), drawStack(race.where));
  }
  section("The object", "object", drawObject(race));
  if (race.threads.some((thread) => thread.id !== 0)) section("Threads", "threads", drawThreads(race));
  if (race.rerun) section("Run it again", "rerun", [copyable(race.rerun, "the command")]);
  if (race.suppressions.length > 0) {
    section("Suppress it", "suppress", race.suppressions.flatMap((entry) => [element("p", {}, `Hides ${entry.covers}:`), copyable(entry.line, "the suppression")]));
  }
  return parts;
}
