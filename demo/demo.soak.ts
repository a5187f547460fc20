import { afterEach, expect, it } from "vitest";
import { type DemoProcess, startDemo } from "./demo-process.fixture.ts";

/** The options of the demo that take long, and a moment of interruption more. */

let demos: DemoProcess[] = [];
const demo = (...args: string[]) => {
  const started = startDemo(...args);
  demos.push(started);
  return started;
};

afterEach(async () => {
  await Promise.all(demos.map((each) => each.dispose()));
  demos = [];
});

it("leaves no process and no file when Ctrl-C ends it while a picker starts", async () => {
  const interrupted = demo("--stand-ins", "--story", "1");
  await interrupted.started("endpoint-picker");
  interrupted.interrupt();
  expect(await interrupted.ended).toBe("SIGINT");
  await interrupted.gone();
});

it("keeps the stack until Ctrl-C, and then destroys it", async () => {
  const kept = demo("--stand-ins", "--story", "1", "--keep");
  await kept.printed("Kept until Ctrl-C, and then destroyed\n  export KUBECONFIG=/");
  kept.interrupt();
  expect(await kept.ended, kept.err()).toBe(0);
  expect(kept.out()).toContain("\n  0 pods left\n");
  await kept.gone();
});

it("runs in two clusters, of which one stops serving and is back", async () => {
  const clusters = demo("--clusters", "2");
  expect(await clusters.ended, clusters.err()).toBe(0);
  expect(clusters.out()).toContain("The pods of cluster-1 are not ready");
  expect(clusters.out()).toContain("The model servers of cluster-1 are gone");
  expect(clusters.out()).toContain("all objects deleted");
  await clusters.gone();
});

it("shows how chats that share their beginning spread over the pods", async () => {
  const shown = demo("--stand-ins", "--story", "2");
  expect(await shown.ended, shown.err()).toBe(0);
  const spread =
    /^ {2}\d+ chats with one system prompt: at most \d+ a pod, ([\d.]+) times the mean$/m;
  expect(Number(spread.exec(shown.out())?.[1])).toBeLessThan(1.5);
});
