import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { RemoteCluster } from "./remote-cluster.ts";

/** First read of a cluster: how long the other clusters wait for it. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => {
  vi.useRealTimers();
});

/** An API server that answers its list requests one page at a time, when the test calls `answer`. */
function slowCluster() {
  const waiting: Array<() => void> = [];
  const request = (_: string, path: string) =>
    new Promise((resolve) => {
      const metadata = { resourceVersion: "1", continue: "more" };
      waiting.push(() => resolve(path.includes("openapi") ? {} : { metadata, items: [] }));
    });
  const watch = async function* () {
    yield* [];
  };
  let told = 0;
  const followed = new RemoteCluster({
    client: { request, watch } as unknown as Pick<KubernetesClient, "request" | "watch">,
    controllerName: "example.com/controller",
    ...{ onName() {}, onNamespace() {}, onProblem() {} },
    onAll: () => {
      told += 1;
    },
    maxExports: () => 100,
  });
  followed.start();
  return {
    followed,
    told: () => told,
    /** Sends the answer to the oldest request. */
    async answer() {
      waiting.shift()?.();
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

it("the set waits at most a minute for a cluster that sends an answer at least every ten seconds", async () => {
  const { followed, told, answer } = slowCluster();
  for (let at = 0; at < 6; at += 1) {
    await vi.advanceTimersByTimeAsync(9_000);
    expect(followed.settled).toBe(false);
    expect(followed.contact).toBe("starting");
    await answer();
  }
  const before = told();
  await vi.advanceTimersByTimeAsync(7_000);
  expect(followed.settled).toBe(true);
  expect(followed.contact).toBe("unknown");
  expect(told()).toBeGreaterThan(before);
  void followed.stop();
});

it("the set does not wait for a cluster that is silent for ten seconds", async () => {
  const { followed, told, answer } = slowCluster();
  await vi.advanceTimersByTimeAsync(5_000);
  await answer();
  await vi.advanceTimersByTimeAsync(9_900);
  expect(followed.settled).toBe(false);
  const before = told();
  await vi.advanceTimersByTimeAsync(200);
  expect(followed.settled).toBe(true);
  expect(told()).toBeGreaterThan(before);
  void followed.stop();
});
