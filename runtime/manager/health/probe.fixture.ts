import { setTimeout as sleep } from "node:timers/promises";
import { checkHealth } from "./check-health.fixture.ts";

/**
 * Checks a port for readiness as a kubelet does, and prints each response with its milliseconds: `node probe.fixture.ts
 * PORT TIMES`. It is a separate process, so that the checked one may block its event loop.
 */
const [port, times] = process.argv.slice(2).map(Number) as [number, number];

// The first response shows that the process has started.
for (let asked = 0; asked <= times; asked += 1) {
  const started = performance.now();
  const status = await checkHealth(port, "readiness");
  process.stdout.write(`${JSON.stringify({ status, ms: performance.now() - started })}\n`);
  await sleep(200);
}
