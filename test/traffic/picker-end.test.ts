import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kill } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { pickerConfigText } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { rewriteOf, startTraffic, type TrafficOptions, type TrafficStack } from "./stack.ts";
import { startLoad } from "./steady-load.ts";

/** A picker ends while requests run and arrive: killed, rolled out, reconfigured. */

let stack: TrafficStack;
const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  await stack?.stop();
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const start = async (options: TrafficOptions) => {
  stack = await startTraffic({
    servers: [{ stepMs: 30 }, { stepMs: 30 }],
    ...options,
  });
  return stack;
};

const tokens = 90;

/** Starts `count` answers that stream for some seconds. Resolves when all have begun; returns how they end. */
async function startAnswers(count: number, model = "base") {
  let begun = 0;
  const answers = Array.from({ length: count }, async () => {
    const stream = await stack.client.completions.create({
      ...{ model, prompt: "Hello.", max_tokens: tokens, stream: true },
    });
    let chunks = 0;
    let last: string | null | undefined;
    for await (const { choices, model: named } of stream) {
      if (chunks === 0) begun += 1;
      if (named !== model) throw new Error(`an answer of ${named}`);
      chunks += choices[0]?.text ? 1 : 0;
      last = choices[0]?.finish_reason ?? last;
    }
    return { chunks, last };
  });
  const all = Promise.allSettled(answers);
  await Promise.race([
    expect.poll(() => begun, { timeout: 20_000 }).toBe(count),
    Promise.all(answers).catch((error: unknown) => {
      throw new Error("an answer did not begin", { cause: error });
    }),
  ]);
  return async () => {
    const results = await all;
    const broken = results.filter(
      (result) =>
        result.status === "rejected" ||
        result.value.last !== "length" ||
        result.value.chunks !== tokens,
    );
    return { complete: count - broken.length, broken: broken.slice(0, 3) };
  };
}

/** Streams of the picker that are open, and requests that it counts on its servers. */
async function counted({ ports } = stack.picker) {
  const page = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
  const sum = (pattern: RegExp) =>
    [...page.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    streams: sum(/^llm_d_epp_extproc_streams_inflight (\d+)$/gm),
    running: sum(/^llm_d_epp_inflight_requests\{.*\} (\d+)$/gm),
  };
}

describe.each(["FULL_DUPLEX_STREAMED", "BUFFERED", "STREAMED", "NONE"] as const)(
  "with bodies in mode %s",
  (bodyMode) => {
    it("a killed picker breaks none of 100 running answers", async () => {
      await start({ gateway: { bodyMode }, servers: [{ stepMs: 30, maxSequences: 100 }] });
      const complete = await startAnswers(100);
      // Requests whose bodies the picker does not read are not counted.
      const running = bodyMode === "FULL_DUPLEX_STREAMED" || bodyMode === "BUFFERED" ? 100 : 0;
      // A busy server reports its load late; until then the picker assumes a lower load.
      await expect.poll(() => counted(), { timeout: 2_000 }).toEqual({ streams: 0, running });
      kill(stack.picker.pid, "SIGKILL");
      expect(await complete()).toEqual({ complete: 100, broken: [] });
    });
  },
);

it("a request counts as running until its server has answered, also after its stream ended", async () => {
  await start({ servers: [{ stepMs: 20, maxSequences: 100 }] });
  const complete = await startAnswers(20);
  await sleep(600);
  await expect.poll(() => counted(), { timeout: 1_000 }).toEqual({ streams: 0, running: 20 });
  expect(await complete()).toEqual({ complete: 20, broken: [] });
  await expect.poll(() => counted(), { timeout: 5_000 }).toEqual({ streams: 0, running: 0 });
});

it("rolling out a picker under load fails no request and breaks no answer, not even a rewritten one", async () => {
  await start({
    pickers: 2,
    pickerArgs: ["--drain-timeout=3s"],
    objects: [rewriteOf("alias", "base")],
    servers: [{ stepMs: 30, maxSequences: 200 }],
  });
  const [first] = stack.pickers as [(typeof stack.pickers)[0]];
  const load = startLoad(stack.client, 4);
  const complete = [await startAnswers(50), await startAnswers(50, "alias")];
  await load.answered(20);
  // As a new pod is ready already, Kubernetes ends the old one.
  await first.stop(30_000);
  await load.answered(50);
  const failed = (await load.stop()).filter(({ error }) => error !== undefined);
  expect(failed).toEqual([]);
  expect(await Promise.all(complete.map((each) => each()))).toEqual(
    [50, 50].map((count) => ({ complete: count, broken: [] })),
  );
});

it("killing one of two pickers under load breaks no answer, and fails no request if the gateway retries", async () => {
  await start({
    pickers: 2,
    gateway: { pickerRetries: 2 },
    servers: [{ stepMs: 30, maxSequences: 200 }],
  });
  const [first] = stack.pickers as [(typeof stack.pickers)[0]];
  const load = startLoad(stack.client, 8);
  const complete = await startAnswers(100);
  await load.answered(20);
  kill(first.pid, "SIGKILL");
  await load.answered(100);
  const failed = (await load.stop()).filter(({ error }) => error !== undefined);
  expect(failed).toEqual([]);
  expect(await complete()).toEqual({ complete: 100, broken: [] });
});

it("a picker with a changed configuration takes over under load: no request fails, no answer breaks", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-configured-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  /** Flags of a planned picker of a strategy. */
  const planned = (strategy: "queue-size" | "prefix-cache") => {
    const file = join(folder, strategy);
    writeFileSync(file, pickerConfigText({ strategy }, "queue-size"));
    return [`--config-file=${file}`, "--drain-timeout=3s"];
  };
  await start({
    pickerArgs: planned("queue-size"),
    laterPickers: 1,
    objects: [rewriteOf("alias", "base")],
    servers: [{ stepMs: 30, maxSequences: 200 }],
  });
  const load = startLoad(stack.client, 4);
  const complete = [await startAnswers(50), await startAnswers(50, "alias")];
  await load.answered(20);
  const next = await stack.startPicker([
    ...planned("prefix-cache"),
    "--max-request-body-size=1MiB",
  ]);
  await load.answered(20);
  await stack.picker.stop(30_000);
  await load.answered(50);
  const failed = (await load.stop()).filter(({ error }) => error !== undefined);
  expect(failed).toEqual([]);
  expect(await Promise.all(complete.map((each) => each()))).toEqual(
    [50, 50].map((count) => ({ complete: count, broken: [] })),
  );
  const long = { model: "base", prompt: "x".repeat(2 ** 20), max_tokens: 1 };
  await expect(stack.client.completions.create(long)).rejects.toThrow("413");
  expect(next.log()).not.toContain('"level":"error"');
});
