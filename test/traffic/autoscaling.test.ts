import { afterEach, expect, it } from "vitest";
import { pageText } from "../docs/markdown.ts";
import { startTraffic, type TrafficStack } from "./stack.ts";

/** Autoscalers' metrics of the shipped picker under load: behind a real Envoy, with model servers of few slots. */

const slots = 4;
const servers = [0, 1].map(() => ({ maxSequences: slots, stepMs: 10 }));

let stack: TrafficStack;
afterEach(() => stack?.stop());

const metrics = ["flow_control_desired_replicas", "flow_control_queue_size"] as const;
const means = ["average_running_requests", "average_queue_size", "ready_endpoints"] as const;

/** Sum of each metric over its series, by name. */
async function read(): Promise<Record<(typeof metrics | typeof means)[number], number>> {
  const answer = await fetch(`http://127.0.0.1:${stack.picker.ports.metrics}/metrics`);
  const page = await answer.text();
  const sumOf = (name: string) =>
    [...page.matchAll(new RegExp(`^llm_d_epp_${name}(?:\\{.*\\})? (\\S+)$`, "gm"))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  const names = [...metrics, ...means];
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as never;
}

/** The same expression as in docs/scaling.md: requests that wait or run anywhere. */
const demandOf = (seen: Awaited<ReturnType<typeof read>>) =>
  seen.flow_control_queue_size +
  (seen.average_running_requests + seen.average_queue_size) * seen.ready_endpoints;

it.each([
  [
    "from the configuration",
    { type: "concurrency-detector", parameters: { maxConcurrency: slots } },
  ],
  ["learnt by the picker", { type: "utilization-detector" }],
])(
  "the documented metrics follow the load, by slots %s, while nothing waits at model servers",
  async (_, detector) => {
    const config = {
      apiVersion: "llm-d.ai/v1alpha1",
      kind: "EndpointPickerConfig",
      featureGates: ["flowControl"],
      plugins: [{ type: "active-request-scorer" }, { ...detector, name: "detector" }],
      schedulingProfiles: [{ name: "default", plugins: [{ pluginRef: "active-request-scorer" }] }],
      flowControl: { saturationDetector: { pluginRef: "detector" } },
    };
    stack = await startTraffic({
      servers,
      pickerArgs: [`--config-text=${JSON.stringify(config)}`],
    });

    const load = new AbortController();
    const clients = 3 * servers.length * slots;
    const client = async () => {
      const body = { model: "base", prompt: "Hello.", max_tokens: 40 };
      while (!load.signal.aborted)
        await stack.client.completions.create(body, { signal: load.signal }).catch(() => {});
    };
    const busy = Array.from({ length: clients }, client);
    await expect
      .poll(async () => (await read()).flow_control_desired_replicas, { timeout: 30_000 })
      .toBeGreaterThan(servers.length);
    // Readings of model servers and of queues are of moments that differ.
    await expect
      .poll(async () => Math.abs(demandOf(await read()) - clients), { timeout: 30_000 })
      .toBeLessThanOrEqual(2);
    await expect
      .poll(async () => (await read()).average_queue_size, { timeout: 30_000 })
      .toBeLessThan(1);

    load.abort();
    await Promise.all(busy);
    await expect
      .poll(
        async () => {
          const seen = await read();
          return [seen.flow_control_desired_replicas, demandOf(seen)];
        },
        { timeout: 30_000 },
      )
      .toEqual([0, 0]);
  },
  120_000,
);

it("docs/scaling.md names these metrics", () => {
  const page = pageText("docs/scaling.md");
  for (const name of [...metrics, ...means]) expect(page).toContain(`llm_d_epp_${name}`);
});
