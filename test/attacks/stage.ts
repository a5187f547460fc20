import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import {
  objectsOf,
  type Picker,
  pickerPorts,
  type StartPicker,
} from "../../bench/epp/contenders.ts";
import { inRepository, startAndWait } from "../../bench/epp/processes.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { programEnvironment } from "../../sdk/plan/programs/program-pods.ts";
import { type Envoy, startEnvoy } from "../../testing/envoy/start.ts";
import type { BystandersReport } from "./bystanders.ts";
import { type ObjectsServer, startObjectsServer, storedObject } from "./objects-server.ts";
import { startPickerPod } from "./picker-pod.ts";

/** The target of an attack: Envoy, a picker and model servers, with bystanders while an attack runs. */

/** Memory of a picker's pod as it is planned by default, MiB. */
export const plannedMemoryMiB = 1_024;

/** Node's flags of a pod that is planned with `memoryMiB`. */
const plannedNode = (memoryMiB: number) =>
  programEnvironment({ resources: { limits: { memory: `${memoryMiB}Mi` } } }).flatMap(({ value }) =>
    String(value).split(" "),
  );

/** The stage as an attacker sees it. */
export interface Stage {
  /** The gateway's URL, to which clients send their requests. */
  readonly url: string;
  /** The picker's ports, which everyone in the cluster can reach. */
  readonly ports: Picker["ports"];
  /** Addresses of the model servers, `ip:port`: an attacker who owns one decides its responses. */
  readonly pods: readonly string[];
  /** The API server of an attack with `watchesObjects`. */
  readonly objects: ObjectsServer | undefined;
  /** How the picker ended; undefined while it runs. An attack may stop once the picker has ended. */
  ended(): string | undefined;
}

/** One way to harm others. */
export interface Attack {
  /** The id of the finding that it comes from, for example `A1`. */
  readonly finding: string;
  readonly title: string;
  /** Further flags of the picker, for attacks on features that are off by default. */
  readonly flags?: readonly string[];
  /** Needs too many resources for `npm test`: only the benchmark runs it. */
  readonly heavy?: boolean;
  /** The figures are only for our picker: the Go picker does not have the attacked feature. */
  readonly oursOnly?: boolean;
  /** The picker reads its objects from an API server. Default: from a file. */
  readonly watchesObjects?: boolean;
  /** The p99 of short requests that the attack may cause, in ms. Default: as of all attacks. */
  readonly mostP99?: number;
  /**
   * Its bars are twice the bystanders' own p99 and 70 % of the planned memory. Default false: the bars of all attacks.
   */
  readonly isRelative?: boolean;
  /**
   * Attacks until `signal` is aborted, or once. Returns the response to the attacker in a word or two, for example
   * `413`.
   */
  run(stage: Stage, signal: AbortSignal): Promise<string>;
}

/** Result of an attack. */
export interface Outcome extends BystandersReport {
  /** The response that the attacker received. */
  readonly told: string;
  /** How the picker first ended; undefined if it did not. */
  readonly ended: string | undefined;
  readonly restarts: number;
  /** Largest memory of the picker's process, MiB. */
  readonly rssMiB: number;
  /** The longest that the picker's event loop worked at a time, in milliseconds of CPU; undefined if not measured. */
  readonly stretchMs: number | undefined;
  /** The end of the picker's log. */
  readonly log: string;
}

export interface Theatre {
  /** Starts a picker and the bystanders, attacks for `seconds`, and returns the effects. */
  play(attack: Attack, start: StartPicker, seconds: number): Promise<Outcome>;
  close(): Promise<void>;
}

const podsOf = (network: string) => [1, 2, 3, 4].map((at) => `${network}.${at}:8000`);

/**
 * Starts what all attacks share: the gateway and the model servers. Each attack has a picker of its own.
 * @param memoryMiB memory of its pod. Default: as planned
 */
export async function openTheatre(memoryMiB = plannedMemoryMiB): Promise<Theatre> {
  const pods = podsOf(`127.${60 + (process.pid % 40)}.${process.pid % 251}`);
  const servers = await startAndWait(
    "model servers",
    [process.execPath, inRepository("test/attacks/model-servers.ts"), ...pods],
    async (server) => server.log().includes("listening"),
  );
  const ports = await pickerPorts();
  const envoy = await startGateway(pods, ports.grpc);
  return {
    play: (attack, start, seconds) =>
      play({ envoy, pods, ports, memoryMiB, attack, start, seconds }),
    async close() {
      await envoy.stop();
      await servers.stop();
    },
  };
}

async function startGateway(pods: readonly string[], picker: number): Promise<Envoy> {
  const [pool] = objectsOf(pods);
  const backendRefs = [
    { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" },
  ];
  return startEnvoy({
    httpRoutes: [{ metadata: { name: "route" }, spec: { rules: [{ backendRefs }] } }],
    pools: [
      {
        pool: pool as Parameters<typeof startEnvoy>[0]["pools"][number]["pool"],
        picker: `127.0.0.1:${picker}`,
        tls: false,
      },
    ],
  });
}

interface Performance {
  readonly envoy: Envoy;
  readonly pods: readonly string[];
  readonly ports: Picker["ports"];
  readonly memoryMiB: number;
  readonly attack: Attack;
  readonly start: StartPicker;
  readonly seconds: number;
}

async function play(performance: Performance): Promise<Outcome> {
  const { envoy, pods, ports, memoryMiB, attack, start, seconds } = performance;
  const objects = attack.watchesObjects ? await objectsServerOf(pods) : undefined;
  const picker = await startPickerPod(start, pods, {
    ports,
    kubeconfig: objects?.kubeconfig,
    flags: attack.flags ?? [],
    node: plannedNode(memoryMiB),
    memoryMiB,
  });
  try {
    await untilServed(envoy.url);
    picker.isServing();
    const bystanders = await startBystanders(envoy.url, ports.health);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), seconds * 1_000);
    const stage = { url: envoy.url, ports, pods, objects, ended: picker.ended };
    const told = await attack.run(stage, over.signal);
    // Effects of an attack may appear some time after it ends.
    await sleep(500);
    clearTimeout(timer);
    over.abort();
    const report = await bystanders.leave();
    return {
      ...report,
      told,
      ended: picker.ended(),
      restarts: picker.restarts(),
      rssMiB: picker.rssMiB(),
      stretchMs: picker.stretchMs(),
      log: picker.log(),
    };
  } finally {
    await forgetPages(pods);
    await picker.stop();
    await objects?.close();
  }
}

/** Serves the objects that the other attacks' pickers read from a file. */
async function objectsServerOf(pods: readonly string[]): Promise<ObjectsServer> {
  const server = await startObjectsServer();
  for (const kind of [kinds.LLMService, kinds.InferenceObjective, kinds.InferenceModelRewrite])
    server.serve(kind, "default");
  for (const object of objectsOf(pods)) server.change(...storedObject(object));
  return server;
}

/** Envoy may still treat the picker as gone, because the previous picker has ended. */
async function untilServed(url: string): Promise<void> {
  const body = JSON.stringify({ model: "real", prompt: "hello" });
  const deadline = Date.now() + 10_000;
  for (;;) {
    const { status } = await fetch(`${url}/v1/completions`, { method: "POST", body });
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`no request is served: status ${status}`);
    await sleep(50);
  }
}

interface Bystanders {
  leave(): Promise<BystandersReport>;
}

async function startBystanders(url: string, health: number): Promise<Bystanders> {
  const file = inRepository("test/attacks/bystanders.ts");
  const child: ChildProcess = spawn(
    process.execPath,
    ["--conditions=source", file, "--url", url, "--health", String(health)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  let last = "";
  lines.on("line", (line) => {
    last = line;
  });
  await Promise.race([once(lines, "line"), exited]);
  return {
    async leave() {
      child.kill("SIGTERM");
      await exited;
      return JSON.parse(last) as BystandersReport;
    },
  };
}

/** Servers have their own metrics pages again. */
const forgetPages = (pods: readonly string[]) =>
  Promise.all(pods.map((pod) => fetch(`http://${pod}/metrics`, { method: "PUT" })));
