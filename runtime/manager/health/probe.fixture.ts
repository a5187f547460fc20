import { setTimeout as sleep } from "node:timers/promises";
import { checkHealth } from "./check-health.fixture.ts";

/**
 * Asks the health service of a port for readiness, as a kubelet does, and prints each answer with the milliseconds
 * that it took: `node probe.fixture.ts PORT TIMES`. A process of its own, so that the asked one may stand still.
 */
const [port, times] = process.argv.slice(2).map(Number) as [number, number];

// The first answer says that the process has started.
for (let asked = 0; asked <= times; asked += 1) {
  const started = performance.now();
  const status = await checkHealth(port, "readiness");
  process.stdout.write(`${JSON.stringify({ status, ms: performance.now() - started })}\n`);
  await sleep(200);
}
