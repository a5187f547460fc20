import { continuesAfter } from "./outages.behaviour.ts";

/** Outages of three minutes at every write. They take half an hour, so only the nightly workflow runs this file. */
continuesAfter([
  { kind: "outage", write: 1, when: "before", ms: 400 },
  ...[1, 2].flatMap((write) =>
    (["before", "after"] as const).map(
      (when) => ({ kind: "outage", write, when, ms: 180_000 }) as const,
    ),
  ),
  { kind: "delay", write: 1, when: "before", ms: 60_000 },
  { kind: "killed CLI", write: 2, when: "before", ms: 0 },
]);
