import { spawnSync } from "node:child_process";
import { afterEach, expect, it } from "vitest";
import { repositoryRoot } from "../testing/repository.ts";
import { type DemoProcess, startDemo } from "./demo-process.fixture.ts";

/** Options of the demo that take long. */

let demos: DemoProcess[] = [];
const demo = (...args: string[]) => {
  const started = startDemo(args);
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

it("--keep prints commands that work, and destroys the stack after Ctrl-C", async () => {
  const kept = demo("--stand-ins", "--story", "1", "--keep");
  await kept.printed("--gpus 16,8\n");
  const [, script = ""] = kept.out().split("Kept until Ctrl-C");
  // Without npm, whose `precli` may install dependencies while other tests use them.
  const commands = script
    .slice(script.indexOf("\n"))
    .replaceAll("npm run --silent cli --", `${process.execPath} cli/main.ts`);
  const { stdout } = spawnSync("bash", ["-c", commands], { cwd: repositoryRoot, encoding: "utf8" });
  for (const shown of ["inference  Running", "the quick brown fox", "16    Full"])
    expect(stdout).toContain(shown);
  kept.interrupt();
  expect(await kept.ended, kept.err()).toBe(0);
  expect(kept.out()).toContain("\n  0 pods left\n");
  await kept.gone();
});

it("serves from cluster-2 while cluster-1 fails, and from cluster-1 again when it is back", async () => {
  const clusters = demo("--clusters", "2");
  expect(await clusters.ended, clusters.err()).toBe(0);
  expect(clusters.out()).toContain("The pods of cluster-1 are not ready");
  expect(clusters.out()).toContain("The model servers of cluster-1 have stopped");
  expect(clusters.out()).toContain("all objects deleted");
  await clusters.gone();
});

it("spreads chats with one system prompt over the pods", async () => {
  const shown = demo("--stand-ins", "--story", "2");
  expect(await shown.ended, shown.err()).toBe(0);
  const spread =
    /^ {2}\d+ chats with one system prompt: at most \d+ a pod, ([\d.]+) times the mean$/m;
  expect(Number(spread.exec(shown.out())?.[1])).toBeLessThan(1.5);
});
