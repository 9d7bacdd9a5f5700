// The races as the page uses them: names, what can be searched for, and what is said about the missing edge.
"use strict";

let data = null;

const stackOf = (number) => (number === null || number === undefined ? null : data.stacks[number]);
const framesOf = (number) => (stackOf(number)?.frames ?? []).map((index) => data.frames[index]);
const fileName = (frame) => (frame.file === undefined ? null : data.files[frame.file].name);
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);

// The frame that says most: the innermost outside the system's headers, or simply the innermost.
function mainFrame(number) {
  const frames = framesOf(number);
  return frames.find((frame) => frame.file !== undefined && !frame.system) ?? frames[0] ?? {};
}

function placeText(frame, short = false) {
  const name = fileName(frame);
  if (name === null) return frame.at ?? "unknown place";
  return `${short ? baseName(name) : name}:${frame.line}${frame.column && !short ? `:${frame.column}` : ""}`;
}

function threadText(race, id) {
  if (id === null) return "an unknown thread";
  const known = race.threads.find((thread) => thread.id === id);
  const name = known?.name ? ` '${known.name}'` : "";
  return id === 0 ? "the main thread" : `T${id}${name}`;
}

function accessText(access) {
  if (access.free) return "Free";
  const kind = access.write ? "write" : "read";
  return access.atomic ? `Atomic ${kind}` : kind[0].toUpperCase() + kind.slice(1);
}

function variableText(race) {
  const field = fieldText(race);
  return field ? `${field} in ${objectText(race)}` : objectText(race);
}

function objectText(race) {
  const object = race.object;
  if (object.name) return object.name;
  if (object.kind === "heap") return `block from ${placeText(mainFrame(object.allocated), true)}`;
  if (object.kind === "stack" || object.kind === "tls") return `${object.kind} of ${threadText(race, object.thread)}`;
  if (object.kind === "fd") return "file descriptor";
  return "unknown";
}

// The member that the accesses name, or both if they name different ones.
const fieldText = (race) => [...new Set(race.accesses.map((access) => access.field).filter(Boolean))].join(" / ");

const mainStack = (race) => race.accesses[0]?.stack ?? race.where ?? race.threads[0]?.created;

function accessPair(race) {
  if (race.accesses.length !== 2) return "other";
  const words = race.accesses.map((access) => (access.free ? "free" : `${access.atomic ? "atomic " : ""}${access.write ? "write" : "read"}`));
  return words.sort().join(" / ");
}

const GROUPS = {
  variable: variableText,
  file: (race) => fileName(mainFrame(mainStack(race))) ?? "unknown file",
  threads: (race) => race.accesses.map((access) => threadText(race, access.thread)).sort().join(" / ") || "one thread",
  fingerprint: (race) => race.id,
};

// Everything a search may mean, in lower case, made once.
function searchText(race) {
  const words = [race.id, race.title, race.kind, variableText(race)];
  for (const number of [...race.accesses.map((access) => access.stack), race.where, race.object.allocated]) {
    for (const frame of framesOf(number)) words.push(frame.function, fileName(frame), frame.at);
  }
  for (const frame of race.accesses.map((access) => mainFrame(access.stack))) words.push(placeText(frame));
  for (const thread of race.threads) words.push(thread.name, `T${thread.id}`);
  for (const mutex of race.mutexes) words.push(mutex.name);
  return words.filter(Boolean).join("\n").toLowerCase();
}

function mutexText(race, index) {
  const mutex = race.mutexes[index];
  return mutex.name || `M${index}`;
}

// --- the steps of the two threads

function stepObject(race, step) {
  if (step.name) return step.name;
  if (step.thread !== undefined) return threadText(race, step.thread);
  const index = race.mutexes.findIndex((mutex) => mutex.address === step.object);
  return index >= 0 ? mutexText(race, index) : step.object;
}

function stepText(race, step) {
  if (step.kind === "start") return "starts";
  if (step.kind === "finish") return "ends";
  const words = { lock: "locks", "read-lock": "locks for reading", unlock: "unlocks", acquire: "acquires", release: "releases",
    arrive: "arrives at barrier", depart: "leaves barrier", create: "creates", join: "joins" };
  return `${words[step.kind]} ${stepObject(race, step)}`;
}

const LOCKS = ["lock", "read-lock"];

function historyOf(race, access) {
  return race.history.find((history) => history.thread === access.thread) ?? { steps: [], incomplete: false };
}

// What names the two ends of an edge: the same text for a release and for the acquire that may see it.
function edgeName(step, thread) {
  if (step.kind === "create" || step.kind === "start") return `start of ${step.kind === "create" ? step.thread : thread}`;
  if (step.kind === "join" || step.kind === "finish") return `end of ${step.kind === "join" ? step.thread : thread}`;
  return step.object;
}

// An access of clock c is after every release with clock <= c and before the first with a higher one.
function stepsAfter(history, access) {
  const first = history.steps.findIndex((step) => step.releases && step.clock > access.clock);
  return first < 0 ? [] : history.steps.slice(first);
}

// How many of its thread's steps an access comes after. Its clock leaves open where it is among the acquires between two
// releases; it is before the first lock that it does not hold.
function stepsBefore(race, access) {
  const { steps } = historyOf(race, access);
  const end = steps.length - stepsAfter(historyOf(race, access), access).length;
  const held = access.locks.map((lock) => race.mutexes[lock.mutex].address);
  if (access.locksTotal > held.length || held.includes(null)) return end;
  let begin = end;
  while (begin > 0 && !steps[begin - 1].releases) --begin;
  const later = steps.slice(begin, end).findIndex((step) => LOCKS.includes(step.kind) && !held.includes(step.object));
  return later < 0 ? end : begin + later;
}

// What the earlier thread published after its access, and what the later one learnt before its own.
function missingEdge(race) {
  const [current, previous] = race.accesses;
  return {
    published: stepsAfter(historyOf(race, previous), previous).filter((step) => step.releases),
    learnt: historyOf(race, current).steps.filter((step) => !step.releases),
  };
}

// The locks that both threads use, though not at the accesses.
function locksOfBoth(race) {
  const used = race.accesses.map((access) => new Map(historyOf(race, access).steps
    .filter((step) => LOCKS.includes(step.kind))
    .map((step) => [step.object, stepObject(race, step)])));
  return used.length < 2 ? [] : [...used[0]].filter(([object]) => used[1].has(object)).map(([, name]) => name);
}

// One sentence per lock that would have ordered the two accesses.
function lockAdvice(race) {
  const [current, previous] = race.accesses;
  const who = race.accesses.map((access) => threadText(race, access.thread));
  const held = race.accesses.map((access) => access.locks.map((lock) => lock.mutex));
  if (race.readModesOnly) {
    const shared = held[0].filter((mutex) => held[1].includes(mutex)).map((mutex) => mutexText(race, mutex));
    return [`Both hold ${shared.join(", ")} for reading only, which orders nothing: the one that writes has to hold it for writing.`];
  }
  const advice = [];
  race.accesses.forEach((access, i) => {
    for (const mutex of held[i]) {
      if (held[1 - i].includes(mutex)) continue;
      const other = race.accesses[1 - i];
      advice.push(`${mutexText(race, mutex)}, held by ${who[i]}, would order them if ${who[1 - i]} held it too at ${placeText(mainFrame(other.stack), true)}.`);
    }
  });
  if (advice.length > 0) return advice;
  for (const name of locksOfBoth(race)) advice.push(`Both threads use ${name} elsewhere: held at both accesses, it would order them.`);
  return advice.length > 0 ? advice : ["No lock is held at either access: one that is held at both would order them, or an atomic, or waiting for the other thread."];
}
