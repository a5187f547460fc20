import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import type { Finding } from "../../invariant.ts";
import { label } from "../../names.ts";
import { isImport, isPool, podsOfPool, poolsOf, routeKind, rulesOf } from "../../stack/pools.ts";
import type { BackendRefShape, GrantShape, RouteShape, ServiceShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { containersOf, type PodTemplateUse } from "../../stack/workloads.ts";
import { eachPool, rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";

const { objectRule, stackRule } = rulesOfPack("inference-routing");

/** Routes, with pools or imports as backends. */
export const eachRoute: Subjects<TypedObject<RouteShape>> = {
  of: (stack) => specsOf<RouteShape>(stack, routeKind),
  needsPods: false,
};

const toPools = (backends: readonly BackendRefShape[]): boolean =>
  backends.some((backend) => isPool(backend) || isImport(backend));

const poolSelectsByLabels = objectRule(
  { id: "pool-selects-by-a-label", code: "reference" },
  {
    title: "A pool selects its pods by at least one label",
    why: "Without a label the API server rejects the pool, or every pod of the namespace gets requests.",
    source: "Gateway API inference extension: InferencePool selector.matchLabels, minProperties 1",
    fix: "Add a label to selector.matchLabels that only the model servers have.",
  },
  eachPool,
  function* ({ spec, path }) {
    if (Object.keys(spec.selector?.matchLabels ?? {}).length > 0) return;
    yield {
      path: [...path, "selector", "matchLabels"],
      given: "is empty",
      allowed: "at least one label",
      fix: "Add an entry.",
    };
  },
);

const portsOf = (pods: PodTemplateUse): number[] =>
  containersOf(pods).flatMap(({ container: { ports = [] } }) =>
    ports.map(({ containerPort }) => containerPort),
  );

const poolPortIsServed = stackRule(
  { id: "pool-port-is-a-container-port", code: "reference" },
  {
    title: "The port of a pool is a container port of its pods",
    why: "The gateway sends requests to the pool's port. If the pods do not listen on it, all requests fail.",
    source: "Gateway API inference extension: InferencePool targetPorts",
    fix: "Set targetPorts to the containerPort that the model servers listen on.",
  },
  eachPool,
  function* (pool, { stack }) {
    for (const [at, { number }] of (pool.spec.targetPorts ?? []).entries()) {
      for (const pods of podsOfPool(stack, pool)) {
        const ports = portsOf(pods);
        // Pods may listen on ports that they do not declare, so pods without declared ports are not checked.
        if (pods.isWorker || ports.length === 0 || ports.includes(number)) continue;
        yield {
          path: [...pool.path, "targetPorts", at, "number"],
          given: `is ${number}, but pods of ${pods.workload.name} listen on ${ports.join(", ")}`,
          allowed: "a containerPort of every pod of the pool",
          fix: "Change the pool's port, or declare the port in the container.",
        };
      }
    }
  },
);

const poolHasNoWorkers = stackRule(
  { id: "pool-selects-no-workers", code: "reference" },
  {
    title: "A pool selects the leaders of groups, not their workers",
    why: "Workers run a part of the model and do not serve requests, so their share of requests fails.",
    source: "sigs.k8s.io/lws: label worker-index, which is 0 on leaders",
    fix: 'Add leaderworkerset.sigs.k8s.io/worker-index: "0" to the pool\'s selector.',
  },
  eachPool,
  function* (pool, { stack }) {
    for (const { isWorker, workload } of podsOfPool(stack, pool)) {
      if (!isWorker) continue;
      yield {
        path: [...pool.path, "selector", "matchLabels"],
        given: `selects workers of ${workload.object.manifest.kind} ${workload.name}`,
        allowed: "leaders, and pods outside of groups",
        fix: "Select by a label that workers do not have.",
      };
    }
  },
);

const poolsAreApart = stackRule(
  { id: "pools-share-no-pods", code: "conflict", level: "advisory" },
  {
    title: "A pod belongs to only one pool",
    why: "Each pool's picker counts only its own requests and would overload a shared pod.",
    source: "Gateway API inference extension: one endpoint picker for each InferencePool",
    fix: "Select by labels that differ between the pools' pods, or use one pool with several models.",
  },
  eachPool,
  function* (pool, { stack }) {
    const pools = poolsOf(stack);
    const before = pools.slice(
      0,
      pools.findIndex(({ object }) => object === pool.object),
    );
    for (const pods of podsOfPool(stack, pool)) {
      const other = before.find((each) => podsOfPool(stack, each).includes(pods));
      if (other === undefined) continue;
      yield {
        path: [...pool.path, "selector", "matchLabels"],
        given: `selects pods of ${pods.workload.name}, and so does InferencePool ${other.name}`,
        allowed: "pods that no other pool selects",
        fix: "Change one of the two selectors.",
      };
    }
  },
);

const sides = ["prefiller", "decoder"] as const;

const pairIsInOnePool = stackRule(
  { id: "pool-has-prefillers-and-decoders", code: "reference" },
  {
    title: "A pool with prefillers also has decoders, and the reverse",
    why: "The picker selects the prefiller and the decoder from one pool. If the pool lacks one of them, no request can be served.",
    source: "llm-d-router: decode-filter and prefill-filter are filters over one pool",
    fix: "Select prefillers and decoders by a common label, such as fusioninfer.io/service.",
  },
  eachPool,
  function* (pool, { stack }) {
    const leaders = podsOfPool(stack, pool).filter(({ isWorker }) => !isWorker);
    for (const service of new Set(leaders.map(({ labels }) => labels[label.service]))) {
      if (service === undefined) continue;
      const missing = sides.filter(
        (side) => !ofSide(leaders, service, side) && ofSide(podsIn(stack, pool), service, side),
      );
      const present = sides.filter((side) => ofSide(leaders, service, side));
      if (missing.length !== 1 || present.length !== 1) continue;
      yield {
        path: [...pool.path, "selector", "matchLabels"],
        given: `selects ${present[0]}s of service ${service}, but none of its ${missing[0]}s`,
        allowed: "both prefillers and decoders of a service",
        fix: "Select both roles.",
      };
    }
  },
);

const podsIn = (
  { everyWorkload }: Stack,
  { namespace }: { readonly namespace: string },
): PodTemplateUse[] =>
  everyWorkload()
    .filter((workload) => workload.namespace === namespace)
    .flatMap(({ pods }) => pods);

const ofSide = (
  all: readonly PodTemplateUse[],
  service: string,
  side: (typeof sides)[number],
): boolean =>
  all.some(
    ({ labels }) => labels[label.service] === service && labels[label.componentType] === side,
  );

const pickerAnswers = stackRule(
  { id: "picker-answers-on-its-port", code: "reference" },
  {
    title: "The picker's port in a pool is a port of the picker's Service",
    why: "On any other port the gateway cannot reach the picker. Every request then fails, or reaches an arbitrary pod.",
    source: "Gateway API inference extension: InferencePool endpointPickerRef.port",
    fix: "Set endpointPickerRef.port.number to the Service's port for ext_proc, 9002 by default.",
  },
  eachPool,
  function* (pool, { stack }) {
    const { endpointPickerRef: picker } = pool.spec;
    if (picker === undefined || (picker.kind ?? "Service") !== "Service") return;
    const service = specsOf<ServiceShape>(stack, "/Service").find(
      ({ name, namespace }) => name === picker.name && namespace === pool.namespace,
    );
    const ports = service?.spec.ports?.map(({ port }) => port);
    const asked = picker.port?.number;
    // Another rule reports a missing port.
    if (ports === undefined || asked === undefined || ports.includes(asked)) return;
    yield {
      path: [...pool.path, "endpointPickerRef", "port", "number"],
      given: `is ${asked}`,
      allowed: `${ports.join(", ")}, the ports of Service ${picker.name}`,
      fix: "Set it to a port of the Service.",
    };
  },
);

const routeSendsRequests = objectRule(
  { id: "route-sends-requests", code: "count" },
  {
    title: "At least one backend of a rule with pools has a weight above 0",
    why: "If all weights are 0, the gateway answers all requests of the rule with 500.",
    source: "Gateway API, HTTPRouteRule backendRefs",
    fix: "Set the weight of at least one backend to 1 or more.",
  },
  eachRoute,
  function* (route) {
    for (const { path, backends } of rulesOf(route)) {
      if (!toPools(backends) || backends.some(({ weight = 1 }) => weight > 0)) continue;
      yield {
        path: [...path, "backendRefs"],
        given: "all have weight 0",
        allowed: "at least one weight above 0",
        fix: "Raise at least one weight.",
      };
    }
  },
);

const routeHasAGateway = objectRule(
  { id: "route-to-a-pool-has-a-gateway", code: "reference" },
  {
    title: "A route to a pool is attached to a Gateway",
    why: "A route without a parent gets no traffic, and no error is reported.",
    source: "Gateway API, CommonRouteSpec parentRefs",
    fix: "Name the Gateway in parentRefs.",
  },
  eachRoute,
  function* (route) {
    if (!rulesOf(route).some(({ backends }) => toPools(backends))) return;
    if ((route.spec.parentRefs ?? []).length > 0) return;
    yield {
      path: [...route.path, "parentRefs"],
      given: "is empty",
      allowed: "at least one Gateway",
      fix: "Add an entry.",
    };
  },
);

export const backendsAreGranted = stackRule(
  { id: "cross-namespace-backend-has-a-grant", code: "reference", level: "advisory" },
  {
    title: "A route to a pool in another namespace has a ReferenceGrant",
    why: "Without a ReferenceGrant the gateway answers the backend's share of requests with 500.",
    source: "Gateway API, ReferenceGrant; HTTPRoute condition ResolvedRefs: RefNotPermitted",
    fix: "Create a ReferenceGrant in the pool's namespace that allows HTTPRoutes of the route's namespace to refer to the pool.",
  },
  eachRoute,
  function* (route, { stack }) {
    for (const { path, backends } of rulesOf(route)) {
      for (const [at, backend] of backends.entries()) {
        const { namespace = route.namespace, kind, name } = backend;
        if (!toPools([backend]) || namespace === route.namespace) continue;
        if (isGranted(stack, route.namespace, { ...backend, namespace })) continue;
        yield ungranted([...path, "backendRefs", at, "namespace"], `${kind} ${namespace}/${name}`);
      }
    }
  },
);

const ungranted = (path: Finding["path"], what: string): Finding => ({
  path,
  given: `refers to ${what}, but no ReferenceGrant of the stack allows it`,
  allowed: "backends in the route's namespace, or backends with a ReferenceGrant",
  fix: "Add a ReferenceGrant.",
});

const isGranted = (
  stack: Stack,
  from: string,
  { namespace, group = "", kind, name }: BackendRefShape,
): boolean =>
  specsOf<GrantShape>(stack, groupKind(kinds.ReferenceGrant)).some(
    (grant) =>
      grant.namespace === namespace &&
      grant.spec.from.some(
        (each) =>
          each.group === groups.gateway && each.kind === "HTTPRoute" && each.namespace === from,
      ) &&
      grant.spec.to.some(
        (to) =>
          to.group === group && to.kind === kind && (to.name === undefined || to.name === name),
      ),
  );

export const routingRules: readonly StackRule[] = [
  poolSelectsByLabels,
  poolPortIsServed,
  poolHasNoWorkers,
  poolsAreApart,
  pairIsInOnePool,
  pickerAnswers,
  routeSendsRequests,
  routeHasAGateway,
  backendsAreGranted,
];
