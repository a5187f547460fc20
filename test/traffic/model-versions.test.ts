import { afterAll, beforeAll, expect, it } from "vitest";
import { startTraffic, type TrafficStack } from "./stack.ts";

/** Two versions of a base model behind one pool: Envoy and the picker, with SIMULATED engines. */

let stack: TrafficStack;
const [stable, next] = ["assistant-stable", "assistant-next"];

beforeAll(async () => {
  stack = await startTraffic({
    servers: [{ model: stable }, { model: stable }, { model: next }],
    objects: [
      {
        apiVersion: "llm-d.ai/v1alpha2",
        kind: "InferenceModelRewrite",
        metadata: { name: "assistant", namespace: "default" },
        spec: {
          poolRef: { name: "pool" },
          rules: [
            {
              matches: [{ model: { value: "assistant" } }],
              targets: [
                { modelRewrite: stable, weight: 80 },
                { modelRewrite: next, weight: 20 },
              ],
            },
          ],
        },
      },
    ],
  });
}, 60_000);
afterAll(() => stack?.stop());

async function readModels() {
  const page = await fetch(`http://127.0.0.1:${stack.picker.ports.metrics}/debug/state`);
  const { endpoints } = (await page.json()) as {
    endpoints: { metrics?: { servedModel?: string } }[];
  };
  return endpoints.map(({ metrics }) => metrics?.servedModel).sort();
}

it("a rewrite shares requests between both versions by weight, and each version gets its own", async () => {
  // Until the picker has read every engine's model, it may send a request to either version.
  await expect.poll(readModels, { timeout: 10_000 }).toEqual([next, stable, stable]);
  const asked = Array.from({ length: 200 }, () =>
    stack.client.completions.create({ model: "assistant", prompt: "Hello.", max_tokens: 1 }),
  );
  const answers = await Promise.all(asked);
  expect(answers.every(({ model }) => model === "assistant")).toBe(true);
  const served = stack.servers.map((server) => server.served.map(({ model }) => model));
  expect(new Set([...(served[0] ?? []), ...(served[1] ?? [])])).toEqual(new Set([stable]));
  expect(new Set(served[2])).toEqual(new Set([next]));
  // 40 of 200 are expected, with a standard deviation of 5.7.
  expect(served[2]?.length).toBeGreaterThan(15);
  expect(served[2]?.length).toBeLessThan(65);
});
