import { afterAll, beforeAll, expect, test } from "vitest";
import { contenders, type StartPicker } from "../../bench/epp/contenders.ts";
import { cleanUp } from "../../bench/epp/processes.ts";
import { attacks } from "./attacks.ts";
import { openTheatre, type Theatre } from "./stage.ts";

/** One attack of each kind; the benchmark runs all attacks. */
const played = attacks.filter(
  (attack, at) =>
    !attack.heavy && attacks.findIndex(({ finding }) => finding === attack.finding) === at,
);

/**
 * Nothing that a client or a model server sends harms others: answers arrive whole, probes succeed, and the picker
 * stays alive within half of its pod's memory. `npm run bench attacks` runs the same attacks for longer and prints
 * latencies, which a busy machine would not let a test assert.
 */

const seconds = 1.5;
const mostRssMiB = 512;
/** A kubelet acts after three failures in a row. One probe may be late on a machine that runs other tests. */
const mostProbesFailed = 1;

let theatre: Theatre;
const ours = contenders().get("ours") as StartPicker;

beforeAll(async () => {
  theatre = await openTheatre();
});

afterAll(async () => {
  await theatre?.close();
  await cleanUp();
});

test.each(played)("$finding: $title", async (attack) => {
  const outcome = await theatre.play(attack, ours, seconds);
  const { ended, answers, complete, failures, probesFailed, rssMiB, problems, log } = outcome;
  const end = ended === undefined ? "" : log.slice(-1_000);
  expect(
    { ended, broken: answers - complete, failures, end },
    `${problems.join("\n")}\n${end}`,
  ).toEqual({ ended: undefined, broken: 0, failures: 0, end: "" });
  expect(probesFailed, `${problems.join("\n")}\n${log.slice(-1_000)}`).toBeLessThanOrEqual(
    mostProbesFailed,
  );
  expect(answers).toBeGreaterThanOrEqual(20);
  expect(rssMiB).toBeLessThanOrEqual(mostRssMiB);
});
