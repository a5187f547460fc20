/**
 * What policies cost: `npm run bench:policies`. A stack of 1,000 resources, 200 services of a PodGroup and four
 * LeaderWorkerSets, is analysed as the Pulumi CLI does it: each resource, 16 at a time, then the stack. Each is the least
 * of 5 rounds, so that a busy machine slows all packs alike; the start of a pack's process is told apart.
 */
import { startAnalyzer } from "../../cli/check/analyzer-process.ts";
import { packFolder } from "../../cli/check/policy-packs.ts";
import type { AnalyzedResource } from "../../engine/index.ts";
import { bundlePacks } from "../../policies/bundle.ts";
import { type Manifest, planInferenceService } from "../../sdk/index.ts";
import { packNames } from "../../sdk/invariants/stack/packs.ts";
import { readStory } from "../harness/repository.ts";

const size = 1_000;
const rounds = 5;
const parallel = 16;

function manifests(): Manifest[] {
  const { spec } = readStory(4);
  const roles = spec.roles.map((role) => ({ ...role, replicas: 2 }));
  return Array.from({ length: size / 5 }, (_, at) =>
    planInferenceService({ metadata: { name: `service-${at}` }, spec: { ...spec, roles } }),
  ).flat();
}

const resources = manifests().map((manifest): AnalyzedResource => {
  const { apiVersion, kind, metadata } = manifest;
  const type = `kubernetes:${apiVersion}:${kind}`;
  return {
    ...{ urn: `urn:pulumi:dev::bench::${type}::${metadata.name}`, type, name: metadata.name },
    ...{ parent: "", properties: { ...manifest }, dependencies: [], propertyDependencies: {} },
  };
});

async function measured(pack: string) {
  const project = { project: "bench", stack: "dev", organization: "organization", preview: true };
  const started = performance.now();
  await using analyzer = await startAnalyzer({ ...project, folder: packFolder(pack) });
  const start = performance.now() - started;
  await analyzer.configure(new Map());
  const times: Array<readonly [number, number]> = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    for (let at = 0; at < size; at += parallel)
      await Promise.all(resources.slice(at, at + parallel).map((each) => analyzer.analyze(each)));
    const resourcesDone = performance.now();
    await analyzer.analyzeStack(resources);
    times.push([resourcesDone - begun, performance.now() - resourcesDone]);
  }
  const least = (phase: 0 | 1) => Math.min(...times.map((each) => each[phase]));
  return { start, resources: least(0), stack: least(1) };
}

if (resources.length !== size) throw new Error(`${resources.length} resources`);
await bundlePacks();
const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(2).padStart(6);
console.log(
  "pack                     | start, s | resources, s | stack, s | both, s | first time, s",
);
for (const pack of ["inference", ...packNames]) {
  const { start, resources: each, stack } = await measured(pack);
  console.log([pack.padEnd(24), ...[start, each, stack, each + stack].map(seconds)].join(" | "));
}
