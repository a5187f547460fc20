import { acceleratorsOfPod, isDevice } from "../engines/accelerators/pod-accelerators.ts";
import { podResources } from "../engines/accelerators/pod-resources.ts";
import { kthenaLabel, label } from "../names.ts";
import { gangOf } from "../stack/gangs.ts";
import { podsOfPool, poolsOf } from "../stack/pools.ts";
import type { Stack } from "../stack/stack.ts";
import { lwsKind, type PodTemplateUse, type Workload } from "../stack/workloads.ts";
import type { DrawnObjects } from "./drawn-objects.ts";

/** The workloads of one role: one LeaderWorkerSet for all replicas, or one for each. */
interface Role {
  readonly first: PodTemplateUse;
  readonly workloads: readonly Workload[];
}

/** Adds a node for each role, the gangs around them, and the edges from pools and from prefillers to decoders. */
export function addEngines(stack: Stack, drawn: DrawnObjects): void {
  const { builder } = drawn;
  const nodes = new Map<Workload, string>();
  const gangs = new Map<number, Set<string>>();
  const roles = rolesOf(stack, drawn);
  for (const { first, workloads } of roles) {
    const objects = workloads.map(({ object }) => object.index);
    const id = builder.addNode({
      ...nameOfWorkloads(workloads),
      facts: facts(first, workloads),
      objects,
    });
    drawn.draw(objects, id);
    for (const workload of workloads) nodes.set(workload, id);
    const gang = gangOf(first, stack.gangs);
    if (gang === undefined) continue;
    const members = gangs.get(gang.object.index) ?? new Set();
    gangs.set(gang.object.index, members.add(id));
  }
  for (const { object, name, minMember } of stack.gangs) {
    const members = gangs.get(object.index);
    if (members === undefined) continue;
    const least = minMember > 0 ? `: at least ${pods(minMember)} start together` : "";
    builder.addGroup({
      title: `PodGroup ${name}${least}`,
      nodes: [...members],
      objects: [object.index],
    });
    drawn.draw([object.index], "");
  }
  for (const pool of poolsOf(stack)) {
    const ports = (pool.spec.targetPorts ?? []).map(({ number }) => number).join(", ");
    for (const { workload } of podsOfPool(stack, pool)) {
      const to = nodes.get(workload);
      if (to !== undefined) builder.addEdge(drawn.nodeOf(pool.object.index), to, `port ${ports}`);
    }
  }
  for (const from of roles.filter((role) => isOf(role, "prefiller")))
    for (const to of roles.filter((role) => isOf(role, "decoder") && isPair(from, role)))
      builder.addEdge(idOf(from), idOf(to), "KV cache");

  function idOf({ workloads: [workload] }: Role): string {
    return nodes.get(workload as Workload) as string;
  }
}

/** Engines: groups of nodes, pods of a gang and pods of a pool. */
function rolesOf(stack: Stack, drawn: DrawnObjects): Role[] {
  const pooled = new Set(
    poolsOf(stack).flatMap((pool) => podsOfPool(stack, pool).map(({ workload }) => workload)),
  );
  const engines = stack.workloads.filter(
    (workload) =>
      !drawn.isDrawn(workload.object.index) &&
      workload.pods.length > 0 &&
      (workload.object.kind === lwsKind ||
        pooled.has(workload) ||
        workload.pods.some((each) => gangOf(each, stack.gangs) !== undefined)),
  );
  return [...Map.groupBy(engines, keyOfWorkload).values()].map((workloads) => ({
    first: workloads[0]?.pods[0] as PodTemplateUse,
    workloads,
  }));
}

/** Returns a key that only workloads of the same role share. */
function keyOfWorkload({ object, namespace, pods: [first] }: Workload): string {
  const service = first?.labels[label.service];
  const role = first?.labels[label.roleName];
  if (service === undefined || role === undefined) return String(object.index);
  return JSON.stringify([namespace, service, role, first?.group]);
}

const isOf = ({ first }: Role, type: string) => first.labels[label.componentType] === type;

const isPair = (a: Role, b: Role) =>
  a.first.workload.namespace === b.first.workload.namespace &&
  a.first.labels[label.service] === b.first.labels[label.service];

/** `LeaderWorkerSet chat-inference`, `2 LeaderWorkerSets chat-decode-0 to 1`. */
function nameOfWorkloads(workloads: readonly Workload[]): {
  readonly kind: string;
  readonly name: string;
} {
  const [first, last] = [workloads[0] as Workload, workloads.at(-1) as Workload];
  const { kind } = first.object.manifest;
  if (first === last) return { kind, name: first.name };
  const number = last.name.slice(last.name.lastIndexOf("-") + 1);
  return { kind: `${workloads.length} ${kind}s`, name: `${first.name} to ${number}` };
}

function facts({ labels, workload }: PodTemplateUse, workloads: readonly Workload[]): string[] {
  const replicas = workloads.reduce((sum, each) => sum + each.replicas, 0);
  const { size } = workload;
  const type = labels[label.componentType];
  const role = labels[label.roleName] ?? labels[kthenaLabel.role];
  const count = replicas === 1 ? "1 replica" : `${replicas} replicas`;
  return [
    ...(role === undefined ? [] : [`role ${role}${type === undefined ? "" : ` (${type})`}`]),
    size === 1 ? `${count} of 1 pod` : `${count} of ${size} pods`,
    ...acceleratorsOf(workload).map((text) => `${text} per pod`),
  ];
}

const pods = (count: number) => (count === 1 ? "1 pod" : `${count} pods`);

/** Returns text such as `8 nvidia.com/gpu`, for the first pod of a replica with accelerators. */
function acceleratorsOf({ pods: templates, accelerators }: Workload): string[] {
  for (const { spec } of templates) {
    const podSpec = spec;
    const resources = [...podResources(podSpec)]
      .filter(([resource, { nanos }]) => nanos > 0n && isDevice(resource, accelerators))
      .map(([resource]) => resource);
    if (resources.length === 0) continue;
    const devices = acceleratorsOfPod(podSpec, accelerators);
    return [[devices, resources.join(" and ")].filter((part) => part !== undefined).join(" ")];
  }
  return [];
}
