import type * as pulumi from "@pulumi/pulumi";
import type { InferenceServiceArgs } from "../../components/index.ts";
import {
  decoder,
  pairTemplate,
  prefiller,
  router,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";

/** A program with one service. */
export interface Program {
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
export type Base = "single" | "pair";

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

/** Title of an edit, the program before it and the program after it. */
export const edits: ReadonlyArray<readonly [string, Base, Program]> = [
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

export const bases: Readonly<Record<Base, Program>> = { single: single(), pair: pair() };
