import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { findEnvoy } from "../testing/envoy/install.ts";
import { repositoryRoot } from "../testing/repository.ts";
import { startDemo } from "./demo-process.fixture.ts";
import { textOfRecording } from "./recording.ts";

beforeAll(async () => {
  // Installs Envoy if it is not cached, without a time limit.
  await findEnvoy();
}, 600_000);

it("--quick shows program, plan, refusal, capacity and chat without a Go program or a warning", async () => {
  // The demo would fail with this folder if it looked for the API server.
  const quick = startDemo(["--quick"], { KUBEBUILDER_ASSETS: "/nonexistent" });
  onTestFinished(() => quick.dispose());
  expect(await quick.ended, quick.err()).toBe(0);
  expect(quick.err()).toBe("");
  const shown = quick.out();
  for (const line of shown.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(shown).toContain('    model: huggingFace("deepseek-ai/DeepSeek-R1"),\n');
  expect(shown).toContain("2 LeaderWorkerSet");
  expect(shown).toContain("  +     worker({ replicas: 2, multinode: { nodeCount: 1 } }),\n");
  expect(shown).toContain(
    "needs 79.5 GiB of weights on\n  each of 8 H100 SXM 80 GB, which have 79.1 GiB",
  );
  expect(shown).toMatch(/^ {2}24 {4}Partial \(1 of 2 worker\)$/m);
  const [first, second] = [
    ...shown.matchAll(/\? +(deepseek-worker-\d-0) +(\d+) +(\d+) +\d+ ms$/gm),
  ];
  expect(first?.slice(2, 4).map(Number), shown).toEqual([expect.any(Number), 0]);
  expect(second?.[1], "the pod that cached the first turn").toBe(first?.[1]);
  expect(Number(second?.[3])).toBeGreaterThan(0);
  await quick.gone();

  const recorded = textOfRecording(
    readFileSync(join(repositoryRoot, "docs/images/demo.svg"), "utf8"),
  );
  const printed = shown.split("\n").filter((line) => line.trim() !== "");
  expect(recorded.map(masked), "run npm run tool demo/record").toEqual(printed.map(masked));
});

/** A line without what differs between runs: times, and which of the replicas served. */
const masked = (line: string) =>
  line
    .replace(/\(\d+\.\d s\)$/, "(TIME)")
    .replace(/deepseek-worker-\d-0( .*) \d+ ms$/, "POD$1 TIME");
