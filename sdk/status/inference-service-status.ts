import { type InferenceService, routerOf } from "../spec/inference-service.ts";
import { layOut } from "../topology/role-layout.ts";
import { conditionsOf, type Finding, type Moment } from "./conditions.ts";
import type { ObservedDeployment, ObservedParents, ObservedPodGroup } from "./observed.ts";
import { phaseOf, type RoleObjects, type RoleState, roleState } from "./role-status.ts";
import type { ComponentStatus, InferenceServiceStatus } from "./schemas.ts";

/** What there is of a service in its cluster. */
export interface ServiceObjects extends RoleObjects {
  readonly podGroup: ObservedPodGroup | undefined;
  /** The endpoint picker. */
  readonly picker: ObservedDeployment | undefined;
  readonly route: ObservedParents | undefined;
  /** Why the rest cannot be trusted: the API server does not answer, or a kind cannot be read. */
  readonly stale: string | undefined;
}

export interface ServiceStatus {
  readonly status: InferenceServiceStatus;
  /** When the status changes although no object does, RFC 3339. */
  readonly changesAt: string | undefined;
}

/**
 * How a service is doing, from its spec and its objects. Nothing but these, the moment and the status before go in:
 * the status controller, the command line and tests compute the same.
 */
export function statusOf(
  service: InferenceService,
  objects: ServiceObjects,
  previous: InferenceServiceStatus | undefined,
  moment: Moment,
): ServiceStatus {
  const states = roleStates(service, objects, moment.now);
  const findings =
    objects.stale === undefined
      ? [available(service, states, objects), progressing(states), degraded(states)]
      : stale(objects.stale);
  return {
    status: {
      ...(moment.generation === undefined ? {} : { observedGeneration: moment.generation }),
      conditions: conditionsOf(findings, previous?.conditions, moment),
      components: Object.fromEntries(
        states.map(({ name, status }) => [
          name,
          dated(
            objects.stale === undefined ? status : unknown(status, previous, name),
            previous?.components?.[name],
            moment,
          ),
        ]),
      ),
    },
    changesAt: states
      .flatMap(({ failsAt }) => (failsAt !== undefined && failsAt > moment.now ? failsAt : []))
      .sort()[0],
  };
}

function roleStates(
  { metadata, spec }: InferenceService,
  objects: ServiceObjects,
  now: string,
): RoleState[] {
  const layouts = new Map(layOut(metadata.name, spec).map((layout) => [layout.role.name, layout]));
  return spec.roles.map((role) => {
    const layout = layouts.get(role.name);
    return layout === undefined
      ? pickerState(role.name, role.replicas, objects.picker)
      : roleState(layout, objects, now);
  });
}

/** The router's replicas are those of its picker. */
function pickerState(
  name: string,
  replicas: number,
  picker: ObservedDeployment | undefined,
): RoleState {
  const ready = Math.min(picker?.readyReplicas ?? 0, replicas);
  const rollingOut =
    picker !== undefined && (!picker.current || picker.updatedReplicas < picker.replicas);
  const status = {
    desiredReplicas: replicas,
    readyReplicas: ready,
    nodesPerReplica: 1,
    totalPods: replicas,
    readyPods: ready,
  };
  const state = {
    name,
    status,
    minReplicas: Math.min(1, replicas),
    rollingOut,
    scheduledPods: picker === undefined ? 0 : 1,
    failure: undefined,
    failsAt: undefined,
  };
  return { ...state, status: { ...status, phase: phaseOf(state) } };
}

/** What was known before, where nothing can be known now. */
function unknown(
  status: RoleState["status"],
  previous: InferenceServiceStatus | undefined,
  name: string,
): RoleState["status"] {
  const before: ComponentStatus = previous?.components?.[name] ?? status;
  const { lastUpdateTime: _, ...fields } = before;
  return { ...fields, phase: "Unknown" };
}

function dated(
  status: RoleState["status"],
  before: ComponentStatus | undefined,
  { now }: Moment,
): ComponentStatus {
  const fields = Object.keys(status) as Array<keyof typeof status>;
  const same = before !== undefined && fields.every((field) => before[field] === status[field]);
  return { ...status, lastUpdateTime: (same && before.lastUpdateTime) || now };
}

/** Requests are served: every role has its minimum, and the route is taken up by a gateway. */
function available(
  service: InferenceService,
  states: readonly RoleState[],
  objects: ServiceObjects,
): Finding {
  const short = states.filter(({ status, minReplicas }) => status.readyReplicas < minReplicas);
  const gang = waitingGang(service, objects);
  const type = "Available";
  const router = routerOf(service.spec);
  if (short.length > 0) {
    const onlyRouter = short.every(({ name }) => name === router?.name);
    return {
      type,
      status: "False",
      reason: onlyRouter ? "RouterNotReady" : "MinimumNotReady",
      message: [...short.map(inWords), ...(gang === undefined ? [] : [gang])].join("; "),
    };
  }
  const refused = routeProblem(service, objects.route);
  if (refused !== undefined)
    return { type, status: "False", reason: "RouteNotAccepted", message: refused };
  return {
    type,
    status: "True",
    reason: "MinimumReady",
    message: states.map(inWords).join("; "),
  };
}

/** `decode 1 of 2 replicas ready (5 of 8 pods): pod d-1: CrashLoopBackOff`. */
function inWords({ name, status, failure }: RoleState): string {
  const { readyReplicas, desiredReplicas, readyPods, totalPods } = status;
  const pods = totalPods === desiredReplicas ? "" : ` (${readyPods} of ${totalPods} pods)`;
  const because = failure === undefined ? "" : `: ${failure}`;
  return `${name} ${readyReplicas} of ${desiredReplicas} replicas ready${pods}${because}`;
}

/** What a gang that has not started waits for. */
function waitingGang(service: InferenceService, objects: ServiceObjects): string | undefined {
  const { podGroup } = objects;
  if (podGroup === undefined || podGroup.phase === "Running") return undefined;
  const gang = layOut(service.metadata.name, service.spec).filter(({ inGang }) => inGang);
  const total = gang.reduce((pods, { size, minReplicas }) => pods + size * minReplicas, 0);
  const roles = new Set(gang.map(({ role }) => role.name));
  const placed = objects.pods.filter(
    ({ labels, scheduled, deleting }) =>
      scheduled && !deleting && roles.has(labels["fusioninfer.io/role-name"] ?? ""),
  ).length;
  const missing = Math.max(total - placed, 0);
  if (missing === 0) return undefined;
  const unit = gang.some(({ size }) => size > 1) ? "nodes" : "pods";
  const says = podGroup.message === undefined ? "" : ` (${podGroup.message})`;
  return `waiting for ${missing} of ${total} ${unit}${says}`;
}

/** Why no request comes through; undefined where a gateway has taken the route, or there is none. */
function routeProblem(
  { spec }: InferenceService,
  route: ObservedParents | undefined,
): string | undefined {
  const router = routerOf(spec);
  if (router?.httproute === undefined && router?.gateway === undefined) return undefined;
  if (route === undefined) return "the HTTPRoute does not exist";
  if (route.parents.length === 0) return "no gateway has taken up the HTTPRoute";
  const says = (type: string, status: string) =>
    route.parents.flatMap(({ name, conditions }) =>
      conditions
        .filter((condition) => condition.type === type && condition.status === status)
        .map(({ reason, message }) => `gateway ${name}: ${reason}: ${message}`),
    );
  if (says("Accepted", "True").length === 0)
    return says("Accepted", "False")[0] ?? "no gateway has accepted the HTTPRoute";
  const resolved = says("ResolvedRefs", "True");
  return resolved.length > 0 ? undefined : says("ResolvedRefs", "False")[0];
}

function progressing(states: readonly RoleState[]): Finding {
  const type = "Progressing";
  const rolling = states.filter(({ rollingOut }) => rollingOut);
  if (rolling.length > 0)
    return {
      type,
      status: "True",
      reason: "RollingOut",
      message: names(rolling, "a new template"),
    };
  const missing = states.filter(({ status }) => status.readyReplicas < status.desiredReplicas);
  const stuck = missing.filter(({ failure }) => failure !== undefined);
  if (missing.length === 0)
    return { type, status: "False", reason: "Complete", message: "every replica is ready" };
  if (stuck.length === missing.length)
    return { type, status: "False", reason: "Stuck", message: stuck.map(inWords).join("; ") };
  return { type, status: "True", reason: "Deploying", message: missing.map(inWords).join("; ") };
}

function degraded(states: readonly RoleState[]): Finding {
  const type = "Degraded";
  const failing = states.filter(({ failure }) => failure !== undefined);
  return failing.length === 0
    ? { type, status: "False", reason: "AsExpected", message: "no pod fails" }
    : { type, status: "True", reason: "PodsFailing", message: failing.map(inWords).join("; ") };
}

const names = (states: readonly RoleState[], what: string) =>
  `${what} in ${states.map(({ name }) => name).join(", ")}`;

const stale = (message: string): Finding[] =>
  ["Available", "Progressing", "Degraded"].map((type) => ({
    type,
    status: "Unknown",
    reason: "StaleView",
    message,
  }));
