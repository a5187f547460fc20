import { argumentsField } from "../../engines/command-line/started-programs.ts";
import type { PoolGatewayType } from "../../gateways/index.ts";
import type { FindingText } from "../../invariant.ts";
import { annotation } from "../../names.ts";
import { type Pool, podsOfPool, poolsOf, routeKind, rulesOf } from "../../stack/pools.ts";
import type { ContainerShape, RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf } from "../../stack/stack-object.ts";
import { containersOf, engineOfPods } from "../../stack/workloads.ts";
import { gatewaysOfRoute } from "../helpers/route-gateways.ts";
import { eachPodTemplate, eachPool, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import { adaptersHaveOwnNames, repeatedAdapter } from "../spec/adapter-names.ts";
import { adaptersAreMounted, unmountedAdapters } from "../spec/adapter-paths.ts";
import { firstRequestWaits, gatewayGivesUp } from "../spec/zero-start.ts";
import { type Autoscaler, eachAutoscaler, minimumField, minimumOf } from "./scaling-rules.ts";

/** Rules on objects that are valid, and that no request reaches or uses. */

const routing = rulesOfPack("inference-routing");
const gpu = rulesOfPack("inference-gpu");

/** Kinds of gateways' own routes, such as AIGatewayRoute, name a pool as a backend too. */
const isOtherRoute = (kind: string) => kind.endsWith("Route") && kind !== routeKind;

/** Whether a value contains a reference to the pool: an object with its kind and name. */
function refersTo(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { kind, name: named } = value as { kind?: unknown; name?: unknown };
  if (kind === "InferencePool" && named === name) return true;
  return Object.values(value).some((each) => refersTo(each, name));
}

function isRouted(stack: Stack, { name, namespace }: Pool): boolean {
  const byRoute = specsOf<RouteShape>(stack, routeKind).some((route) =>
    rulesOf(route).some(({ backends }) =>
      backends.some(
        (backend) =>
          backend.kind === "InferencePool" &&
          backend.name === name &&
          (backend.namespace ?? route.namespace) === namespace,
      ),
    ),
  );
  return (
    byRoute ||
    stack.objects.some(({ kind, manifest }) => isOtherRoute(kind) && refersTo(manifest, name))
  );
}

const isExported = ({ object: { manifest } }: Pool): boolean =>
  [annotation.export, annotation.gkeExport].some(
    (key) => manifest.metadata.annotations?.[key] !== undefined,
  );

/** Whether a program of the stack sends requests to the import of this name, and the pool may belong to it. */
const isImported = (stack: Stack, { name }: Pool): boolean =>
  stack
    .everyWorkload()
    .flatMap(({ pods }) => pods)
    .some((pods) =>
      containersOf(pods).some(({ container: { args = [] } }) => args.includes(`--import=${name}`)),
    );

const poolHasARoute = routing.stackRule(
  { id: "pool-has-a-route", code: "reference", level: "advisory" },
  {
    title: "A route of the stack sends requests to each pool",
    why: "Without a route no request reaches the pool, although its pods run and its status is good.",
    source: "Gateway API, HTTPRoute backendRefs; Gateway API inference extension: InferencePool",
    fix: "Set httproute or gateway of the router, or create an InferenceRoute. If another stack creates the route, disable this policy for this stack.",
  },
  eachPool,
  function* (pool, { stack }) {
    if (isExported(pool) || isRouted(stack, pool) || isImported(stack, pool)) return;
    yield {
      path: pool.path,
      given: "gets no requests: the stack has no route to it, and does not export it",
      allowed: "a pool with a route",
      fix: "Add a route, or ignore this finding if another stack creates the route.",
    };
  },
);

/** Returns the rule on the adapters of engines. */
const ruleOnAdapters = (
  rule: typeof adaptersAreMounted | typeof adaptersHaveOwnNames,
  fix: string,
  find: (engine: ContainerShape) => FindingText | undefined,
) =>
  gpu.objectRule(
    { id: rule.id, code: rule.code, level: "advisory" },
    { ...rule, fix },
    eachPodTemplate,
    function* (pods) {
      const engine = pods.isWorker ? undefined : engineOfPods(pods);
      const problem = engine && find(engine.container);
      if (engine === undefined || problem === undefined) return;
      yield { path: [...engine.path, argumentsField(engine.container)], ...problem };
    },
  );

const gatewayWaitsForStart = routing.stackRule(
  { id: firstRequestWaits.id, code: firstRequestWaits.code, level: "advisory" },
  {
    ...firstRequestWaits,
    fix: "Set the autoscaler's minimum to 1, or use a gateway that waits for the start.",
  },
  eachAutoscaler,
  function* (autoscaler, { stack }) {
    for (const type of gatewaysOf(stack, autoscaler)) {
      const problem = gatewayGivesUp(minimumOf(autoscaler), type);
      if (problem === undefined) continue;
      yield { path: [...autoscaler.path, minimumField(autoscaler)], ...problem };
      return;
    }
  },
);

/** Returns the implementations of the gateways whose routes lead to the scaled pods. */
function gatewaysOf(stack: Stack, { spec, namespace }: Autoscaler) {
  const { kind, name } = spec.scaleTargetRef;
  const pools = poolsOf(stack).filter((pool) =>
    podsOfPool(stack, pool).some(
      ({ workload }) =>
        workload.name === name &&
        workload.namespace === namespace &&
        workload.object.manifest.kind === kind,
    ),
  );
  return specsOf<RouteShape>(stack, routeKind)
    .filter((route) =>
      rulesOf(route).some(({ backends }) =>
        backends.some((backend) =>
          pools.some(
            (pool) =>
              backend.kind === "InferencePool" &&
              pool.name === backend.name &&
              pool.namespace === (backend.namespace ?? route.namespace),
          ),
        ),
      ),
    )
    .flatMap((route) => gatewaysOfRoute<PoolGatewayType>(route, stack, {}))
    .map(({ type }) => type);
}

export const unusedRules: readonly StackRule[] = [
  poolHasARoute,
  ruleOnAdapters(
    adaptersAreMounted,
    "Mount a volume with the adapters at their path, or name an adapter of a registry.",
    unmountedAdapters,
  ),
  ruleOnAdapters(
    adaptersHaveOwnNames,
    "Rename the adapter, or set another --served-model-name.",
    repeatedAdapter,
  ),
  gatewayWaitsForStart,
];
