import { groups } from "../../kubernetes/kinds/groups.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { poolsOf, routeKind } from "../stack/pools.ts";
import type { RouteShape, ServiceShape } from "../stack/shapes.ts";
import { readStack, type Stack } from "../stack/stack.ts";
import { type StackObject, specsOf } from "../stack/stack-object.ts";
import { DrawnObjects, type Reference } from "./drawn-objects.ts";
import { addEngines } from "./engine-nodes.ts";
import type { Graph } from "./graph.ts";
import { addSupport } from "./support-groups.ts";

/**
 * Returns the objects of a plan and the traffic between them: from the client through gateways and routes to pools and
 * their engines, from gateways to endpoint pickers, and KV caches from prefillers to decoders. Each object without
 * traffic is in the group of the Deployment that needs it.
 *
 * @param plan objects in any order, also of kinds that are not planned
 */
export function planGraph(plan: readonly Manifest[]): Graph {
  const stack = readStack(plan);
  const drawn = new DrawnObjects(plan);
  addRoutes(stack, drawn);
  addPools(stack, drawn);
  addModels(stack, drawn);
  addEngines(stack, drawn);
  addSupport(stack, drawn);
  return drawn.builder.graph;
}

/** Adds clients, gateways, routes and the backends of routes. */
function addRoutes(stack: Stack, drawn: DrawnObjects): void {
  const { builder } = drawn;
  const gateways = specsOf<{ gatewayClassName: string }>(stack, `${groups.gateway}/Gateway`);
  const entries = new Set(
    gateways.map(({ object, spec }) =>
      drawn.nodeOf(object.index, [`class ${spec.gatewayClassName}`]),
    ),
  );
  for (const { object, spec, namespace } of specsOf<RouteShape>(stack, routeKind)) {
    const route = drawn.nodeOf(object.index, spec.hostnames);
    for (const parent of (spec.parentRefs ?? []) as Partial<Reference>[]) {
      const { group = groups.gateway, kind = "Gateway", name = "" } = parent;
      const place = { group, kind, name, namespace: parent.namespace ?? namespace };
      const gateway = drawn.named(place);
      entries.add(gateway);
      builder.addEdge(gateway, route, "");
    }
    for (const { backendRefs = [] } of spec.rules ?? [])
      for (const { group = "", kind = "Service", name, weight = 1, ...backend } of backendRefs) {
        const place = { group, kind, name, namespace: backend.namespace ?? namespace };
        const share = backendRefs.length > 1 ? `weight ${weight}` : "";
        builder.addEdge(route, drawn.named(place), share);
      }
  }
  if (entries.size === 0) return;
  const client = builder.addNode({
    kind: "",
    name: "Client",
    facts: [],
    objects: [],
  });
  for (const entry of entries) builder.addEdge(client, entry, "HTTP");
}

/** Adds pools, and the pickers that gateways call for an endpoint. */
function addPools(stack: Stack, drawn: DrawnObjects): void {
  const { builder } = drawn;
  for (const { object, spec, namespace } of poolsOf(stack)) {
    const pool = drawn.nodeOf(object.index);
    const picker = pickerOf(stack, drawn, spec.endpointPickerRef, namespace);
    if (picker === undefined) continue;
    const { edges } = builder.graph;
    const routes = new Set(edges.filter(({ to }) => to === pool).map(({ from }) => from));
    const gateways = edges.filter(({ to }) => routes.has(to)).map(({ from }) => from);
    builder.addEdge(pool, picker, "endpointPickerRef", true);
    for (const gateway of gateways) builder.addEdge(gateway, picker, "ext_proc", true);
  }
}

/**
 * Returns the Deployment behind the Service that a pool refers to, or the Service if the plan does not contain them.
 */
function pickerOf(
  stack: Stack,
  drawn: DrawnObjects,
  reference: { readonly name?: string | undefined } | undefined,
  namespace: string,
): string | undefined {
  const name = reference?.name;
  if (name === undefined) return undefined;
  const service = specsOf<ServiceShape>(stack, "/Service").find(
    (each) => each.name === name && each.namespace === namespace,
  );
  const selector = Object.entries(service?.spec.selector ?? {});
  const workload = stack.workloads.find(
    (each) =>
      each.namespace === namespace &&
      selector.length > 0 &&
      each.pods.some(({ labels }) => selector.every(([key, value]) => labels[key] === value)),
  );
  if (workload === undefined)
    return drawn.named({ group: "", kind: "Service", name, namespace }, ["endpoint picker"]);
  const { object, replicas } = workload;
  const count = replicas === 1 ? "1 replica" : `${replicas} replicas`;
  return drawn.nodeOf(object.index, ["endpoint picker", count]);
}

/** Kinds that refer to a pool and change how its requests are handled. */
const modelKinds: Readonly<Record<string, string>> = {
  LLMService: "registers models",
  InferenceModelRewrite: "rewrites model names",
  InferenceObjective: "sets priorities",
};

function addModels({ objects }: Stack, drawn: DrawnObjects): void {
  for (const object of objects) {
    const label = modelKinds[object.manifest.kind];
    if (label === undefined) continue;
    const node = drawn.nodeOf(object.index);
    for (const place of poolReferences(object))
      drawn.builder.addEdge(node, drawn.named(place), label, true);
  }
}

function poolReferences({ manifest }: StackObject): Reference[] {
  const { poolRef } = (manifest.spec ?? {}) as { poolRef?: unknown };
  return [poolRef].flat().flatMap((written) => {
    const { name, namespace } = (written ?? {}) as Partial<Reference>;
    if (name === undefined) return [];
    const place = namespace ?? manifest.metadata.namespace ?? "default";
    return [{ group: groups.inference, kind: "InferencePool", name, namespace: place }];
  });
}
