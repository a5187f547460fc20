import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, expect, it } from "vitest";
import { stringify } from "yaml";
import { objectsOf } from "../../bench/epp/contenders.ts";
import { parseQuantity } from "../../kubernetes/values/quantity.ts";
import { admissionPath } from "../../runtime/programs/pod-plugin-webhook/server.ts";
import { planPodPluginWebhook } from "../../sdk/plan/controllers/pod-plugin-webhook.ts";
import { planModelRouter } from "../../sdk/plan/models/model-router.ts";
import { planImportedPool } from "../../sdk/plan/multi-cluster/imported-pool.ts";
import { planPool } from "../../sdk/plan/pools/pool.ts";
import { PodPluginRunner } from "../../sdk/spec/controllers.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import {
  importedPoolSpecKind,
  inferencePoolSpecKind,
  modelRouterSpecKind,
} from "../../sdk/validate/spec-kinds.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type PickerProcess, startRuntime } from "../../testing/pods/picker-process.ts";
import { MiB } from "./bodies.ts";
import { heldAttacks, unpaced } from "./unread.ts";

/**
 * H1: every program that speaks ext_proc, with the memory and the heap that are planned for it, one load of slow readers,
 * slow senders and idle streams after the other; and the webhook for pod plugins. Its largest memory stays below 70 % of its limit.
 */

const metadata = { name: "pool", namespace: "default" };
/**
 * Time of a load, in ms. Even the load with the lowest cost has time to exceed the memory of a program that does not
 * count it.
 */
const loadMs = (title: string) => (title.includes("whose pieces are not read") ? 20_000 : 3_000);

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-held-"));
const running: PickerProcess[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.stop(0)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Planned {
  /** MiB. */
  readonly limit: number;
  readonly env: Readonly<Record<string, string>>;
}

interface Container {
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly env: ReadonlyArray<{ readonly name: string; readonly value?: string }>;
}

interface Deployment {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: [Container] } } };
}

/** Memory limit and Node.js options of the only Deployment of a plan. */
function plannedOf(plan: readonly object[]): Planned {
  const deployments = (plan as Deployment[]).filter(({ kind }) => kind === "Deployment");
  expect(deployments).toHaveLength(1);
  const [container] = (deployments[0] as Deployment).spec.template.spec.containers;
  const memory = parseQuantity(container.resources.limits.memory)?.nanos ?? 0n;
  const NODE_OPTIONS = container.env.find(({ name }) => name === "NODE_OPTIONS")?.value ?? "";
  return { limit: Number(memory / (1_000_000_000n * 2n ** 20n)), env: { NODE_OPTIONS } };
}

const poolPlan = () =>
  planPool(parseKind(inferencePoolSpecKind, { metadata, spec: { selector: { app: "m" } } }));
const importPlan = () =>
  planImportedPool(
    parseKind(importedPoolSpecKind, {
      metadata,
      spec: { gateway: { type: "generic" }, parentRefs: [{ name: "g" }], picker: {} },
    }),
  );
const routerPlan = () =>
  planModelRouter(parseKind(modelRouterSpecKind, { metadata, spec: { gateway: { name: "g" } } }));

function written(name: string, objects: readonly object[]): string {
  const file = join(folder, name);
  writeFileSync(file, objects.map((object) => stringify(object)).join("---\n"));
  return file;
}

async function started(program: string, planned: Planned, args: readonly string[]) {
  const env = { KUBECONFIG: "", ...planned.env };
  const common = ["--secure-serving=false", "--metrics-port=0", "--metrics-endpoint-auth=false"];
  const started = await startRuntime(program, { args: [...common, ...args], env });
  running.push(started);
  return started;
}

const startPicker = (planned: Planned) =>
  started("endpoint-picker", planned, [
    ...["--grpc-port=0", "--grpc-health-port=0", "--pool-name=pool", "--pool-namespace=default"],
    `--file-source=${written("pool.yaml", objectsOf(["127.0.0.1:9"]))}`,
  ]);

async function startImportPicker(planned: Planned) {
  const { ports } = await startPicker(plannedOf(poolPlan()));
  const service = {
    type: "LoadBalancer",
    addresses: ["127.0.0.1"],
    ports: [{ number: ports.grpc }],
  };
  const object = {
    apiVersion: "inference.networking.x-k8s.io/v1alpha1",
    kind: "InferencePoolImport",
    metadata,
    status: {
      clusters: [
        {
          name: "east",
          routingMode: "EndpointMode",
          targetPortNumber: 8000,
          endpointPicker: {
            name: "epp",
            service: [service],
            health: { port: ports.health },
            metrics: { port: ports.metrics },
          },
        },
      ],
    },
  };
  return started("endpoint-picker", planned, [
    ...["--grpc-port=0", "--grpc-health-port=0", "--import=pool", "--pool-namespace=default"],
    ...["--remote-plaintext", "--remote-allow-loopback"],
    `--file-source=${written("import.yaml", [object])}`,
  ]);
}

/** Its API server does not answer: no model is known, and each name is refused. */
async function startModelRouter(planned: Planned) {
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:9" } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  };
  return started("model-router", planned, [
    ...["--grpc-port=0", "--health-port=0"],
    `--kubeconfig=${written("kubeconfig.yaml", [kubeconfig])}`,
  ]);
}

/**
 * Whether the picker of an import gets a load. Under loads of large requests that do not end, Node.js can loop in the
 * native code that sends a connection's frames (`Http2Session::SendPendingData`), as before this test: docs/security.md,
 * known gaps.
 */
const isRelayed = (title: string): boolean => !/not end|one at a time/.test(title);

/** Sends reviews over TLS from one address until the signal, again when they are reset. */
async function review(port: number, signal: AbortSignal, body: Buffer, ends: boolean) {
  const sessions = Array.from({ length: 8 }, () => {
    const createConnection = () =>
      connectTls({ port, ALPNProtocols: ["h2"], rejectUnauthorized: false });
    // Responses are not read.
    const settings = { initialWindowSize: 0 };
    const session = connectHttp2(`https://127.0.0.1:${port}`, { settings, createConnection });
    return session.on("error", () => {});
  });
  let open = 0;
  for (let at = 0; !signal.aborted; at += 1) {
    const session = sessions[at % sessions.length];
    if (open >= 1_600 || session === undefined || session.destroyed) {
      await sleep(5);
      continue;
    }
    open += 1;
    const stream = session.request({ ":method": "POST", ":path": admissionPath });
    stream
      .on("error", () => {})
      .on("close", () => {
        open -= 1;
      });
    stream.write(body);
    if (ends) stream.end();
    if (at % 8 === 7) await sleep(1);
  }
  for (const session of sessions) session.destroy();
}

/** Largest memory of a process so far, MiB. Throws an Error with its log if it ended. */
function peakOf({ pid, ended, log }: Pick<PickerProcess, "pid" | "ended" | "log">): number {
  const end = ended();
  if (end !== undefined) throw new Error(`the program ended with ${end}:\n${log()}`);
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

it.each<
  [
    string,
    () => readonly object[],
    (planned: Planned) => Promise<PickerProcess>,
    ((title: string) => boolean)?,
  ]
>([
  ["endpoint picker", poolPlan, startPicker],
  ["picker of an import", importPlan, startImportPicker, isRelayed],
  ["model router", routerPlan, startModelRouter],
])(
  "the %s stays below seven tenths of its memory limit, whatever peers leave unread or unfinished",
  async (_, plan, start, isPlayed = () => true) => {
    const planned = plannedOf(plan());
    expect(planned.limit).toBeGreaterThan(0);
    const program = await start(planned);
    const { ports, log, ended } = program;
    const before = peakOf(program);
    const peaks: string[] = [];
    for (const { title, run } of heldAttacks(unpaced)) {
      if (!isPlayed(title)) continue;
      const over = new AbortController();
      const stage = { url: "", ports, pods: [], objects: undefined, ended };
      const [told] = await Promise.all([
        run(stage, over.signal),
        sleep(loadMs(title)).then(() => over.abort()),
      ]);
      peaks.push(`${peakOf(program).toFixed(0)} MiB after ${title}: ${told}`);
    }
    const peak = peakOf(program);
    expect(peak, `${peaks.join("\n")}\n${log().slice(-1_000)}`).toBeLessThan(0.7 * planned.limit);
    // The loads have reached the program.
    expect(peak).toBeGreaterThan(1.5 * before);
    if (process.env.SHOW_PEAKS !== undefined) console.log(peaks.join("\n"));
  },
  240_000,
);

it("the webhook for pod plugins stays below seven tenths of its memory limit, whatever callers leave unread or unfinished", async () => {
  const planned = plannedOf(
    planPodPluginWebhook(
      { name: "controllers", namespace: "default", labels: {}, annotations: {} },
      PodPluginRunner.parse({}),
      { image: "image:1", metricsAuth: true, networkPolicy: { enabled: true } },
    ),
  );
  const cluster = await startCluster();
  const program = await startRuntime<{ readonly webhook: number }>("pod-plugin-webhook", {
    args: [
      ...[`--kubeconfig=${cluster.kubeconfig}`, "--namespace=default", "--port=0"],
      ...["--metrics-port=0", "--health-port=0", "--metrics-endpoint-auth=false"],
      "--certificate-hostname=localhost",
    ],
    env: planned.env,
  });
  try {
    const before = peakOf(program);
    const peaks: number[] = [];
    const uid = "u".repeat(3 * MiB);
    const whole = JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid, namespace: "default", operation: "CREATE", object: {}, userInfo: {} },
    });
    for (const [body, ends] of [
      [Buffer.alloc(3.9 * MiB, " "), false],
      [Buffer.from(whole), true],
    ] as const) {
      const over = AbortSignal.timeout(10_000);
      await review(program.ports.webhook, over, body, ends);
      peaks.push(peakOf(program));
    }
    if (process.env.SHOW_PEAKS !== undefined) console.log(before, peaks, planned);
    expect(peaks[1]).toBeLessThan(0.7 * planned.limit);
    // The reviews have reached the program.
    expect(peaks[0]).toBeGreaterThan(1.5 * before);
  } finally {
    await program.stop(0);
    await cluster.stop();
  }
}, 240_000);
