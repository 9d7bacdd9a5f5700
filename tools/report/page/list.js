// The list. However many races there are, only the rows in sight exist as elements.
"use strict";

const ROW_HEIGHT = 46;
const BEYOND = 8;  // rows drawn above and below what is seen

class RaceList {
  constructor(root, onSelect) {
    this.root = root;
    this.all = element("div", { class: "all" });
    this.rows = [];  // races and names of groups, top to bottom
    this.selected = null;
    this.onSelect = onSelect;
    root.replaceChildren(this.all);
    root.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(root);
  }

  show(races, groupOf) {
    this.rows = groupOf ? grouped(races, groupOf) : races.map((race) => ({ race }));
    this.all.style.height = `${this.rows.length * ROW_HEIGHT}px`;
    this.draw();
  }

  draw() {
    const first = Math.max(Math.floor(this.root.scrollTop / ROW_HEIGHT) - BEYOND, 0);
    const last = Math.min(Math.ceil((this.root.scrollTop + this.root.clientHeight) / ROW_HEIGHT) + BEYOND, this.rows.length);
    const nodes = [];
    for (let i = first; i < last; ++i) nodes.push(this.rowNode(this.rows[i], i));
    if (this.rows.length === 0) nodes.push(element("div", { class: "none" }, "Nothing matches."));
    this.all.replaceChildren(...nodes);
    const active = this.selected && nodes.some((node) => node.id === `race-${this.selected.id}`);
    if (active) this.root.setAttribute("aria-activedescendant", `race-${this.selected.id}`);
    else this.root.removeAttribute("aria-activedescendant");
  }

  rowNode(row, index) {
    const style = `top: ${index * ROW_HEIGHT}px`;
    if (row.group !== undefined) return element("div", { class: "row group", role: "presentation", style }, element("div", {}, `${row.group} (${row.count})`));
    const { race } = row;
    const places = race.accesses.map((access) => placeText(mainFrame(access.stack), true)).reverse().join(" / ");
    const main = mainFrame(mainStack(race));
    return element("div", {
      class: "row", role: "option", id: `race-${race.id}`, "aria-selected": String(race === this.selected),
      "aria-posinset": index + 1, "aria-setsize": this.rows.length, style,
      onclick: () => this.onSelect(race),
    },
    element("div", {}, element("span", { class: "times" }, race.records > 1 ? `×${race.records}` : ""), `${variableText(race)} · ${main.function ?? race.title}`),
    element("div", { class: "muted" }, `${race.title === "data race" ? "" : `${race.title} · `}${places || placeText(main, true)}`));
  }

  select(race) {
    this.selected = race;
    const index = this.rows.findIndex((row) => row.race === race);
    if (index >= 0) {
      const top = index * ROW_HEIGHT;
      if (top < this.root.scrollTop) this.root.scrollTop = top;
      else if (top + ROW_HEIGHT > this.root.scrollTop + this.root.clientHeight) this.root.scrollTop = top + ROW_HEIGHT - this.root.clientHeight;
    }
    this.draw();
  }

  // The race `steps` rows away from the selected one; the first or last at the ends.
  neighbour(steps) {
    const races = this.rows.filter((row) => row.race).map((row) => row.race);
    const at = races.indexOf(this.selected);
    return races[Math.min(Math.max(at < 0 ? 0 : at + steps, 0), races.length - 1)] ?? null;
  }
}

// Groups by size, the largest first; in a group the order stays.
function grouped(races, groupOf) {
  const groups = new Map();
  for (const race of races) {
    const name = groupOf(race);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(race);
  }
  const rows = [];
  for (const [group, members] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
    rows.push({ group, count: members.length }, ...members.map((race) => ({ race })));
  }
  return rows;
}
