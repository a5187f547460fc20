import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import type { Container, PodTemplate } from "../../sdk/schemas/pod-template.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { type ServerProcess, startServer } from "../../testing/processes/server-process.ts";
import { startWatchdog, type Watchdog } from "../../testing/processes/watchdog.ts";
import { service, vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { findVllm } from "./install-vllm.ts";
import { engineEnvironment } from "./pod-engine.ts";
import { tinyModel } from "./tiny-model.ts";

/**
 * A group of two pods with the real vLLM, on CPUs: each process has the command that the plan gives its container, and
 * ends as the kubelet ends it, by the planned preStop hook and SIGTERM. One machine forces three changes: the tiny
 * model, its address, and ports that are free.
 */

const drainSeconds = 300;
const startTimeoutMs = 15 * 60_000;
const env = { LWS_LEADER_ADDRESS: "127.0.0.1", LWS_WORKER_INDEX: "1" };
let watchdog: Watchdog;
let site: string;
let serving: number;
let leader: ServerProcess;
let other: ServerProcess;
let containers: { readonly leader: Container; readonly worker: Container };

beforeAll(async () => {
  site = await findVllm();
  watchdog = startWatchdog();
  const [port, meeting] = (await freePorts(2)) as [number, number];
  serving = port;
  containers = withPort(plannedGroup(), meeting);
  leader = start("leader", containers.leader);
  other = start("worker", containers.worker);
  await untilHealthy();
}, startTimeoutMs + 1_800_000);

afterAll(async () => {
  for (const server of [leader, other])
    if (server !== undefined && server.ended() === undefined) process.kill(-server.pid, "SIGKILL");
  await watchdog?.release();
});

it("a stopped group finishes its running answer, and its worker ends after its leader", async () => {
  const answer = streamed(600);
  await answer.begun;
  // The kubelet stops all pods of a deleted group at once.
  const ends = Promise.all([stop(leader, containers.leader), stop(other, containers.worker)]);
  const text = await answer.whole;
  expect(text).toContain('"finish_reason":"length"');
  expect(text).toMatch(/data: \[DONE\]\s*$/);
  const [leaderEnd, workerEnd] = await ends;
  expect(workerEnd).toBeGreaterThan(leaderEnd);
}, 600_000);

function plannedGroup(): { leader: Container; worker: Container } {
  const template = vllmTemplate(1, {
    image: "vllm/vllm-openai:v0.32.0",
    args: ["--model", "m", "--tensor-parallel-size", "2"],
  });
  const plan = planInferenceService(
    service([worker({ template, drainSeconds, multinode: { nodeCount: 2 } })]),
  );
  const set = plan.find(({ kind }) => kind === "LeaderWorkerSet")?.spec as {
    leaderWorkerTemplate: { leaderTemplate: PodTemplate; workerTemplate: PodTemplate };
  };
  const { leaderTemplate, workerTemplate } = set.leaderWorkerTemplate;
  const engineOf = ({ spec }: PodTemplate) => spec.containers[0] as Container;
  return { leader: engineOf(leaderTemplate), worker: engineOf(workerTemplate) };
}

/** The containers with another port for the group, in their arguments and in the worker's hook. */
const withPort = <T>(group: T, port: number): T =>
  JSON.parse(JSON.stringify(group).replaceAll("29500", String(port))) as T;

function start(name: string, { args }: Container): ServerProcess {
  const words = (args as string[]).map((word) =>
    word.replaceAll(
      /\$\((\w+)\)/g,
      (written, variable: keyof typeof env) => env[variable] ?? written,
    ),
  );
  const model = words.indexOf("--model");
  const server = startServer(`vLLM's ${name}`, "env", [
    ...Object.entries({ ...engineEnvironment, PYTHONPATH: site }).map(
      ([key, value]) => `${key}=${value}`,
    ),
    ...["python3", "-m", "vllm.entrypoints.cli.main", "serve", tinyModel(join(site, ".."))],
    ...["--served-model-name", "m", "--dtype", "bfloat16", "--enforce-eager"],
    ...["--max-model-len", "4096", "--max-num-seqs", "8", "--block-size", "32"],
    ...["--num-gpu-blocks-override", "512", "--host", "127.0.0.1", "--port", String(serving)],
    ...words.toSpliced(model, 2),
  ]);
  watchdog.guard(-server.pid);
  return server;
}

/** Ends a container as the kubelet does. Returns when it was gone. */
async function stop(server: ServerProcess, container: Container): Promise<number> {
  const { preStop } = container.lifecycle as { preStop: { exec: { command: string[] } } };
  const [file = "", ...args] = preStop.exec.command;
  const hook = startServer(`preStop of ${server.name}`, "env", [
    ...Object.entries(env).map(([key, value]) => `${key}=${value}`),
    ...[file, ...args],
  ]);
  while (hook.ended() === undefined) await sleep(50);
  expect(hook.ended()).toBe("exit code 0");
  process.kill(server.pid, "SIGTERM");
  while (server.ended() === undefined) await sleep(50);
  return Date.now();
}

/** A request whose answer comes token by token. */
function streamed(tokens: number) {
  const begun = Promise.withResolvers<void>();
  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${serving}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        prompt: "Hello",
        max_tokens: tokens,
        ignore_eos: true,
        stream: true,
      }),
    });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split("\n\n").length > 5) begun.resolve();
    }
    return text;
  };
  const whole = read();
  whole.catch(begun.reject);
  return { begun: begun.promise, whole };
}

async function untilHealthy(): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${serving}/health`).catch(() => undefined);
    if (answer?.ok === true) return;
    for (const server of [leader, other])
      if (server.ended() !== undefined || Date.now() > deadline)
        throw new Error(
          `${server.name} ${server.ended() ?? "was not healthy in time"}:\n${server.log()}`,
        );
    await sleep(250);
  }
}
