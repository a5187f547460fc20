import { continuesAfter } from "./outages.behaviour.ts";

/** Faults at the last write, after which no other replica waits. `.ci/run` runs this file. */
continuesAfter([
  { kind: "outage", write: 2, when: "before", ms: 400 },
  { kind: "outage", write: 2, when: "after", ms: 20_000 },
  { kind: "killed CLI", write: 1, when: "after", ms: 0 },
]);
