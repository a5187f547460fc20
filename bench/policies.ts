/**
 * What policies cost: `npm run bench:policies`, or with names of packs after `--`. A stack of 1,000 resources, 200 services of a PodGroup and four
 * LeaderWorkerSets, is analysed as the Pulumi CLI does it: each resource, 16 at a time, then the stack. Each is the least
 * of 5 rounds, on a busy machine CPU tells more than seconds; the start of a pack's process is told apart.
 */
import { readFileSync } from "node:fs";
import { startAnalyzer } from "../cli/analyzer/analyzer-process.ts";
import { packFolder } from "../cli/check/policy-packs.ts";
import type { AnalyzedResource } from "../engine/index.ts";
import { bundlePacks } from "../policies/bundle.ts";
import { type Manifest, planInferenceService } from "../sdk/index.ts";
import { packNames } from "../sdk/invariants/stack/packs.ts";
import { readStory } from "../testing/repository.ts";

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

/** Milliseconds. */
interface Usage {
  readonly wall: number;
  /** The CPU time of the pack's process and of this one. */
  readonly cpu: number;
}

const since = (before: Usage, after: Usage): Usage => ({
  wall: after.wall - before.wall,
  cpu: after.cpu - before.cpu,
});

function usageOf(pid: number | undefined): Usage {
  const { user, system } = process.cpuUsage();
  // After the name in parentheses, the 12th and 13th fields count ticks of 10 ms.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { wall: performance.now(), cpu: (user + system) / 1_000 + ticks * 10 };
}

async function measured(pack: string) {
  const project = { project: "bench", stack: "dev", organization: "organization", preview: true };
  const started = performance.now();
  await using analyzer = await startAnalyzer({ ...project, folder: packFolder(pack) });
  const start = performance.now() - started;
  await analyzer.configure(new Map());
  const seen: Usage[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = usageOf(analyzer.pid);
    for (let at = 0; at < size; at += parallel)
      await Promise.all(resources.slice(at, at + parallel).map((each) => analyzer.analyze(each)));
    const between = usageOf(analyzer.pid);
    await analyzer.analyzeStack(resources);
    seen.push([since(begun, between), since(between, usageOf(analyzer.pid))]);
  }
  const least = (phase: 0 | 1): Usage => ({
    wall: Math.min(...seen.map((each) => each[phase]?.wall ?? 0)),
    cpu: Math.min(...seen.map((each) => each[phase]?.cpu ?? 0)),
  });
  return { start, resources: least(0), stack: least(1) };
}

if (resources.length !== size) throw new Error(`${resources.length} resources`);
await bundlePacks();
const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(2).padStart(6);
console.log(
  "pack                     | start, s | resources, s | stack, s | both, s | CPU of both, s",
);
const named = process.argv.slice(2);
for (const pack of named.length > 0 ? named : ["inference", ...packNames]) {
  const { start, resources: each, stack } = await measured(pack);
  const times = [start, each.wall, stack.wall, each.wall + stack.wall, each.cpu + stack.cpu];
  console.log([pack.padEnd(24), ...times.map(seconds)].join(" | "));
}
