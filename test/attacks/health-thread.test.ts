import { expect, test } from "vitest";
import { checkHealth } from "../../runtime/manager/health/check-health.fixture.ts";
import { serveHealth } from "../../runtime/manager/health/health-server.ts";
import { newLog } from "../../runtime/manager/log.ts";
import { frameAttacks } from "./http2-frames.ts";
import type { Stage } from "./stage.ts";

const attacks = frameAttacks.filter(({ finding }) => finding === "S5+");

test.each(attacks)("$finding: $title do not end its thread", async (attack) => {
  const log: string[] = [];
  const health = await serveHealth({
    port: 0,
    rules: { named: {}, others: "readiness" },
    isReady: () => true,
    log: newLog({ verbosity: 0, write: (line) => log.push(line), now: Date.now }),
  });
  const stage = { ports: { health: health.port }, ended: () => undefined } as unknown as Stage;
  expect(await attack.run(stage, AbortSignal.timeout(3_000))).toContain("ended");
  expect(log).toEqual([]);
  expect(await checkHealth(health.port, "")).toBe(1);
  await health.stop();
});
