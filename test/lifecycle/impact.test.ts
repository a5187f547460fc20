import type * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, it } from "vitest";
import { impactTable } from "../../cli/impact/impact-text.ts";
import { InferenceService, type InferenceServiceArgs } from "../../components/index.ts";
import { memoryState, openStack, previewDigest } from "../../engine/index.ts";
import { impactOf } from "../../sdk/impact/impact.ts";
import { readPreview } from "../../sdk/impact/preview.ts";
import { type AttachedCluster, freshNamespace, type WriteRequest } from "../../testing/cluster.ts";
import {
  decoder,
  pairTemplate,
  prefiller,
  router,
  vllmTemplate,
  worker,
} from "../../testing/sample-service.ts";
import { sharedCluster } from "../../testing/shared-cluster.ts";

/**
 * Objects that edits of a running service touch, by the writes that the API server got, and the output of
 * `pulumi-inference impact` for their previews.
 */

let cluster: AttachedCluster;
beforeAll(async () => {
  cluster = await sharedCluster();
}, 120_000);
afterAll(() => cluster?.detach());

interface Program {
  /** Name of the component. */
  readonly component?: string;
  readonly opts?: pulumi.ComponentResourceOptions;
  readonly args: Omit<InferenceServiceArgs, "metadata">;
  /** Default: the namespace of the test. */
  readonly otherNamespace?: true;
  readonly name?: string;
  readonly absent?: true;
}

type Roles = InferenceServiceArgs["roles"];
type Base = "single" | "pair";

const roles = {
  worker: { replicas: 3 } as Parameters<typeof worker>[0],
  router: {} as object,
};
const single = (change: Partial<typeof roles> = {}, fields: object = {}): Program => {
  const { worker: of, router: routerFields } = { ...roles, ...change };
  return { args: { roles: [worker(of), router(routerFields)] as Roles, ...fields } };
};
const multinode = { nodeCount: 2 };
const pair = (prefill: object = {}, decode: object = {}, fields: object = {}): Program => ({
  args: {
    roles: [
      prefiller({ replicas: 2, ...prefill }),
      decoder({ replicas: 4, multinode, ...decode }),
      router(),
    ] as Roles,
    ...fields,
  },
});
const image = "vllm/vllm-openai:v0.11.1";
const ofWorker = (fields: object) => single({ worker: { replicas: 3, ...fields } });
const engine = (fields: object) => ofWorker({ template: vllmTemplate(8, fields) });

const edits: ReadonlyArray<readonly [string, Base, Program]> = [
  ["nothing", "single", single()],
  ["image of a single-node role", "single", engine({ image })],
  ["argument of the engine", "single", engine({ args: ["--model", "m", "--max-num-seqs", "64"] })],
  ["environment of the engine", "single", engine({ env: [{ name: "A", value: "1" }] })],
  ["GPUs of a pod", "single", ofWorker({ template: vllmTemplate(4) })],
  ["replicas from 3 to 4", "single", ofWorker({ replicas: 4 })],
  ["replicas from 3 to 1", "single", ofWorker({ replicas: 1 })],
  ["drainSeconds", "single", ofWorker({ template: vllmTemplate(8, { image }), drainSeconds: 60 })],
  ["node count of a role", "single", ofWorker({ multinode: { nodeCount: 2, executor: "mp" } })],
  ["name of a role", "single", ofWorker({ name: "serve" })],
  ["workload per replica", "single", single({}, { workload: "perReplica" })],
  ["replicas of the router", "single", single({ router: { replicas: 2 } })],
  ["strategy of the router", "single", single({ router: { strategy: "queue-size" } })],
  ["failure mode of the router", "single", single({ router: { failureMode: "FailOpen" } })],
  [
    "host name of the route",
    "single",
    single({
      router: { httproute: { parentRefs: [{ name: "gateway" }], hostnames: ["a.example.com"] } },
    }),
  ],
  ["no router", "single", { args: { roles: [worker({ replicas: 3 })] as Roles } }],
  ["metricsAuth of the router", "single", single({ router: { metricsAuth: false } })],
  ["priority class", "single", single({}, { schedulingStrategy: { priorityClassName: "high" } })],
  ["namespace", "single", { ...single(), otherNamespace: true }],
  ["name of the service", "single", { ...single(), name: "other" }],
  ["name of the component", "single", { ...single(), component: "renamed" }],
  [
    "name of the component, with an alias",
    "single",
    { ...single(), component: "renamed", opts: { aliases: [{ name: "svc" }] } },
  ],
  ["the service is removed", "single", { ...single(), absent: true }],
  [
    "image of prefillers and decoders",
    "pair",
    pair({ template: pairTemplate(8, { image }) }, { template: pairTemplate(8, { image }) }),
  ],
  ["image of decoders", "pair", pair({}, { template: pairTemplate(8, { image }) })],
  ["decoders from 4 to 2", "pair", pair({}, { replicas: 2 })],
  ["minReplicas of decoders", "pair", pair({}, { minReplicas: 2 })],
  ["node count of decoders", "pair", pair({}, { multinode: { nodeCount: 4 } })],
  ["queue of the gang", "pair", pair({}, {}, { schedulingStrategy: { queue: "research" } })],
];

const bases: Readonly<Record<Base, Program>> = { single: single(), pair: pair() };

it("an edit touches only objects whose content it changes, and impact reports its effect", async () => {
  const report: string[] = [];
  for (const [title, base, program] of edits) report.push(await reportOf(title, base, program));
  await expect(report.join("\n")).toMatchFileSnapshot("impact-of-edits.txt");
}, 300_000);

async function reportOf(title: string, base: Base, edit: Program): Promise<string> {
  const namespace = await freshNamespace(cluster, "impact");
  const other = await freshNamespace(cluster, "impact");
  let current = bases[base];
  const stack = openStack({
    project: "p",
    stack: "s",
    program: {
      run: async () => {
        const { component = "svc", opts, args, otherNamespace, name = "svc", absent } = current;
        if (absent) return;
        const metadata = { name, namespace: otherNamespace ? other : namespace };
        new InferenceService(component, { metadata, ...args } as InferenceServiceArgs, opts);
      },
    },
    state: memoryState(),
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });
  expect((await stack.up()).succeeded).toBe(true);
  current = edit;
  const preview = await stack.preview();
  expect(preview.succeeded, title).toBe(true);
  const impact = impactOf(readPreview(JSON.stringify(previewDigest(preview))));
  const before = cluster.writes().length;
  const up = await stack.up();
  const [failure] = up.diagnostics.filter(({ severity }) => severity === "error");
  const writes = failure
    ? [
        `fails: ${failure.message.includes("already exists") ? "an object already exists" : failure.message}`,
      ]
    : written(cluster.writes().slice(before), [namespace, other]);
  await stack.destroy();
  const clear = (text: string) => text.replaceAll(namespace, "ns").replaceAll(other, "other-ns");
  return [
    `## ${title} (${base})`,
    "",
    ...writes.map((write) => `  ${clear(write)}`),
    ...(writes.length > 0 ? [""] : []),
    clear(impactTable(impact, { write() {}, colour: false })),
  ].join("\n");
}

/** Each write once. An object's first update is two requests, one of which hands its fields to server-side apply. */
const written = (requests: readonly WriteRequest[], namespaces: readonly string[]): string[] =>
  [
    ...new Set(
      requests
        .filter(({ dryRun, userAgent }) => !dryRun && userAgent === "pulumi-inference-engine")
        .flatMap(({ verb, uri }) => {
          const [path = ""] = uri.split("?");
          const prefix = namespaces.find((each) => path.includes(`/namespaces/${each}/`));
          if (prefix === undefined) return [];
          return [`${verb} ${path.split(`/namespaces/${prefix}/`)[1]} in ${prefix}`];
        }),
    ),
  ].sort();
