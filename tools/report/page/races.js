// The page: what is selected, searched for and pressed.
"use strict";

class Page {
  constructor() {
    this.search = document.getElementById("search");
    this.kind = document.getElementById("kind");
    this.accesses = document.getElementById("accesses");
    this.group = document.getElementById("group");
    this.detail = document.getElementById("detail");
    for (const race of data.races) race.searchText = searchText(race);
    this.offer(this.kind, (race) => race.kind);
    this.offer(this.accesses, accessPair);
    this.list = new RaceList(document.getElementById("list"), (race) => this.select(race));
    for (const control of [this.search, this.kind, this.accesses, this.group]) control.addEventListener("input", () => this.filter());
    document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => this.pressed(event));
    addEventListener("hashchange", () => this.followHash());
    this.filter();
    this.followHash();
  }

  offer(select, valueOf) {
    for (const value of [...new Set(data.races.map(valueOf))].sort()) select.append(element("option", { value }, value));
  }

  matching() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return data.races.filter((race) => (!this.kind.value || race.kind === this.kind.value)
      && (!this.accesses.value || accessPair(race) === this.accesses.value)
      && words.every((word) => race.searchText.includes(word)));
  }

  filter() {
    const races = this.matching();
    this.list.show(races, GROUPS[this.group.value]);
    const total = plural(data.races.length, "race");
    const shown = races.length === data.races.length ? total : `${races.length} of ${total}`;
    const more = [data.hidden && `${data.hidden} hidden by suppressions`, data.dropped && `${data.dropped} more were not written by the programs`].filter(Boolean);
    document.getElementById("totals").textContent = [`${shown} in ${plural(data.records, "record")}`, ...more].join(", ");
  }

  select(race) {
    history.replaceState(null, "", `#${race.id}`);
    this.show(race);
  }

  show(race) {
    this.list.select(race);
    this.detail.replaceChildren(...drawRace(race));
    this.detail.scrollTop = 0;
    for (const mark of this.detail.querySelectorAll(".source mark")) showMark(mark);
    document.title = `BigFoot: ${variableText(race)}`;
  }

  followHash() {
    const race = data.races.find((candidate) => `#${candidate.id}` === location.hash) ?? data.races[0];
    if (race) this.show(race);
    else this.detail.replaceChildren(element("h2", {}, "No races"), element("p", {}, "The runs that were read reported none."));
  }

  step(count) {
    const race = this.list.neighbour(count);
    if (race) this.select(race);
  }

  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const inList = document.activeElement === this.list.root;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement.tagName);
    const pageful = Math.max(Math.floor(this.list.root.clientHeight / ROW_HEIGHT) - 1, 1);
    const everywhere = { Escape: () => this.list.root.focus() };
    const untyped = { "/": () => this.search.focus(), j: () => this.step(1), k: () => this.step(-1) };
    const listed = {
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1), PageDown: () => this.step(pageful), PageUp: () => this.step(-pageful),
      Home: () => this.step(-data.races.length), End: () => this.step(data.races.length), Enter: () => this.detail.focus(),
    };
    const action = everywhere[event.key] ?? (typing ? undefined : untyped[event.key]) ?? (inList ? listed[event.key] : undefined);
    if (!action) {
      if (document.activeElement === this.search && event.key === "Enter") this.step(0);
      return;
    }
    event.preventDefault();
    action();
  }
}

// A long line is scrolled so that what is marked can be seen.
function showMark(mark) {
  const view = mark.closest(".source");
  const end = mark.offsetLeft + mark.offsetWidth - view.offsetLeft;
  if (end > view.clientWidth) view.scrollLeft = end - view.clientWidth + 16;
}

function startPage() {
  data = JSON.parse(document.getElementById("data").textContent);
  new Page();
}
