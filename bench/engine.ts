/**
 * What the component costs over bare resources: `npm run bench:engine`.
 * One service of 1,000 replicas of 4 nodes through InferenceService, and the same 1,001 objects as plain
 * CustomResources, in turns, each in a fresh process, as a preview without a cluster: registration and nothing else.
 */
import { fork } from "node:child_process";
import * as k8s from "@pulumi/kubernetes";
import { InferenceService, type InferenceServiceArgs } from "../components/index.ts";
import { memoryState, openStack } from "../engine/index.ts";
import { planInferenceService } from "../sdk/index.ts";
import { service, worker } from "../testing/sample-service.ts";

const replicas = Number(process.argv[2] ?? 1_000);
const rounds = 5;

type Variant = "component" | "bare";
interface Cost {
  seconds: number;
  megabytes: number;
  resources: number;
}

const input = () => service([worker({ replicas, multinode: { nodeCount: 4 } })]);

const programs: Record<Variant, () => Promise<unknown>> = {
  async component() {
    const { metadata, spec } = input();
    new InferenceService("svc", { metadata, ...spec } as InferenceServiceArgs);
  },
  async bare() {
    const [podGroup, ...workloads] = planInferenceService(input());
    const { CustomResource } = k8s.apiextensions;
    if (podGroup === undefined) throw new Error("the plan is empty");
    const first = new CustomResource("podgroup", podGroup);
    for (const manifest of workloads) {
      new CustomResource(manifest.metadata.name, manifest, { dependsOn: [first] });
    }
  },
};

async function measure(variant: Variant): Promise<Cost> {
  const stack = openStack({
    project: "bench",
    stack: "s",
    program: { run: programs[variant] },
    state: memoryState(),
  });
  const start = performance.now();
  const { succeeded, steps, diagnostics } = await stack.preview();
  if (!succeeded) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return {
    seconds: (performance.now() - start) / 1000,
    megabytes: process.resourceUsage().maxRSS / 1024,
    resources: steps.filter(({ type }) => type.startsWith("kubernetes:")).length,
  };
}

function inFreshProcess(variant: Variant): Promise<Cost> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, [String(replicas)], {
      env: { ...process.env, VARIANT: variant },
    });
    child.on("message", (cost) => resolve(cost as Cost));
    child.on("exit", (code) => code !== 0 && reject(new Error(`${variant} ended with ${code}`)));
  });
}

const median = (values: number[]) =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

if (process.env.VARIANT !== undefined) {
  process.send?.(await measure(process.env.VARIANT as Variant));
} else {
  const costs: Record<Variant, Cost[]> = { component: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const variant of ["bare", "component"] as const) {
      costs[variant].push(await inFreshProcess(variant));
    }
  }
  const summary = (variant: Variant) => ({
    resources: costs[variant][0]?.resources ?? 0,
    seconds: median(costs[variant].map(({ seconds }) => seconds)),
    megabytes: median(costs[variant].map(({ megabytes }) => megabytes)),
  });
  const [bare, component] = [summary("bare"), summary("component")];
  console.log("             | resources | median s | median MB (peak)");
  for (const [name, { resources, seconds, megabytes }] of Object.entries({ bare, component })) {
    console.log(
      `${name.padStart(12)} | ${String(resources).padStart(9)} | ${seconds.toFixed(2).padStart(8)} | ${megabytes.toFixed(0)}`,
    );
  }
  const ratio = (a: number, b: number) => `${(a / b).toFixed(2)}x`;
  console.log(
    `component / bare: ${ratio(component.seconds, bare.seconds)} time, ${ratio(component.megabytes, bare.megabytes)} memory`,
  );
}
