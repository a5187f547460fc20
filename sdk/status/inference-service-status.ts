import { inferencePoolName } from "../names.ts";
import { type InferenceService, routerOf } from "../spec/inference-service.ts";
import { isRouter } from "../spec/role.ts";
import { recyclePodsFlag } from "../topology/recycling.ts";
import { layOut, type RoleLayout } from "../topology/role-layout.ts";
import { conditionsOf, type Moment } from "./conditions.ts";
import { podsWithReasons, waitingGang } from "./gang.ts";
import type { ObservedPodGroup, ObservedWorkload } from "./observed.ts";
import { type InferenceServiceFinding, inferenceServiceReasons } from "./reasons.ts";
import {
  phaseOf,
  type RoleObjects,
  type RoleState,
  roleState,
  routerState,
} from "./role-status.ts";
import { type RouteObjects, routeProblem } from "./route.ts";
import type { ComponentStatus, InferenceServiceStatus } from "./schemas.ts";

/** The objects of a service in its cluster. */
export interface ServiceObjects extends RoleObjects, RouteObjects {
  readonly podGroup: ObservedPodGroup | undefined;
  /** Deployment of the endpoint picker. */
  readonly picker: ObservedWorkload | undefined;
  /** Whether the status controller may delete pods; undefined outside the status controller. */
  readonly recyclesPods: boolean | undefined;
  /** Reason that the other fields are out of date: the API server does not respond, or a kind cannot be read. */
  readonly stale: string | undefined;
}

export interface ServiceStatus {
  readonly status: InferenceServiceStatus;
  /** Time at which the status changes even if no object does, RFC 3339; undefined if it does not. */
  readonly requeueAt: string | undefined;
}

/**
 * Computes the status of a service. It depends only on its arguments, so that the status controller, the command line
 * and tests compute the same status.
 *
 * @param service validated service
 * @param previous the current status of the object; its times are kept if nothing changed
 */
export function statusOf(
  service: InferenceService,
  objects: ServiceObjects,
  previous: InferenceServiceStatus | undefined,
  moment: Moment,
): ServiceStatus {
  const explained = { ...objects, pods: podsWithReasons(service, objects) };
  const states = roleStates(service, explained, moment.now);
  return {
    status: {
      ...ofGeneration(moment),
      conditions: conditionsOf(
        inferenceServiceReasons,
        [...findings(service, states, objects), ...recycling(service, objects, previous)],
        previous?.conditions,
        moment,
      ),
      components: Object.fromEntries(
        states.map((state) => [
          state.name,
          component(state, previous?.components?.[state.name], objects.stale, moment),
        ]),
      ),
    },
    requeueAt: states.flatMap(({ requeueAt }) => requeueAt ?? []).sort()[0],
  };
}

/** Returns the status of an object that is not a valid service. Its roles keep their last status. */
export function unreadableStatus(
  message: string,
  previous: InferenceServiceStatus | undefined,
  moment: Moment,
): InferenceServiceStatus {
  const verdict = { status: "False", reason: "InvalidSpec", message } as const;
  return {
    ...previous,
    ...ofGeneration(moment),
    conditions: conditionsOf(
      inferenceServiceReasons,
      [
        { type: "Available", ...verdict },
        { type: "Progressing", ...verdict },
        { type: "Degraded", ...verdict },
      ],
      previous?.conditions,
      moment,
    ),
  };
}

const ofGeneration = ({ generation }: Moment) =>
  generation === undefined ? {} : { observedGeneration: generation };

function roleStates(
  { metadata, spec }: InferenceService,
  objects: ServiceObjects,
  now: string,
): RoleState[] {
  const layouts = new Map(layOut(metadata.name, spec).map((layout) => [layout.role.name, layout]));
  return spec.roles.map((role) => {
    if (isRouter(role)) return routerState(role, metadata.name, objects.picker, objects, now);
    return roleState(layouts.get(role.name) as RoleLayout, objects, now);
  });
}

/** Returns the status of a role. Its time changes only with other fields, and its counts stay if `stale` is set. */
function component(
  state: RoleState,
  before: ComponentStatus | undefined,
  stale: string | undefined,
  { now }: Moment,
): ComponentStatus {
  const status =
    stale === undefined
      ? state.status
      : { ...state.status, ...before, phase: phaseOf(state, true) };
  const fields = Object.keys(state.status) as Array<keyof typeof state.status>;
  const same = before !== undefined && fields.every((field) => before[field] === status[field]);
  return { ...status, lastUpdateTime: (same && before.lastUpdateTime) || now };
}

function findings(
  service: InferenceService,
  states: readonly RoleState[],
  objects: ServiceObjects,
): InferenceServiceFinding[] {
  const { stale } = objects;
  if (stale === undefined) {
    const describe = describer(states, waitingGang(service, objects));
    return [
      available(service, states, objects, describe),
      progressing(states, describe),
      degraded(states, describe),
    ];
  }
  const unknown = { status: "Unknown", reason: "StaleCache", message: stale } as const;
  return [
    { type: "Available", ...unknown },
    { type: "Progressing", ...unknown },
    { type: "Degraded", ...unknown },
  ];
}

/** Whether requests are served: every role has its minimum, and a gateway has accepted the route. */
function available(
  service: InferenceService,
  states: readonly RoleState[],
  objects: ServiceObjects,
  describe: Describer,
): InferenceServiceFinding {
  const type = "Available";
  const short = states.filter(({ status, minReplicas }) => status.readyReplicas < minReplicas);
  if (short.length > 0) {
    const router = routerOf(service.spec)?.name;
    return {
      type,
      status: "False",
      reason: short.every(({ name }) => name === router) ? "RouterNotReady" : "MinimumNotReady",
      message: describe(short),
    };
  }
  const { refusal } = objects;
  if (refusal !== undefined)
    return {
      ...{ type, status: "False", reason: "PortUnavailable" },
      message: describe(
        [],
        `InferencePool ${inferencePoolName(service.metadata.name)}: ${refusal}`,
      ),
    };
  const problem = routeProblem(service, objects);
  if (problem !== undefined)
    return {
      ...{ type, status: "False", reason: "RouteNotAccepted" },
      message: describe([], problem),
    };
  return { type, status: "True", reason: "MinimumReady", message: describe(states) };
}

function progressing(states: readonly RoleState[], describe: Describer): InferenceServiceFinding {
  const type = "Progressing";
  const short = states.filter(
    ({ status, missing }) => missing.length > 0 || status.readyReplicas < status.desiredReplicas,
  );
  if (short.length > 0 && short.every(({ failure }) => failure !== undefined))
    return { type, status: "False", reason: "Stalled", message: describe(short) };
  const rolling = states.filter(({ rollingOut }) => rollingOut);
  if (rolling.length > 0)
    return { type, status: "True", reason: "RollingOut", message: describe(rolling) };
  return short.length === 0
    ? { type, status: "False", reason: "Complete", message: describe([], "every replica is ready") }
    : { type, status: "True", reason: "Deploying", message: describe(short) };
}

function degraded(states: readonly RoleState[], describe: Describer): InferenceServiceFinding {
  const type = "Degraded";
  const failing = states.filter(({ failure }) => failure !== undefined);
  return failing.length === 0
    ? { type, status: "False", reason: "AsExpected", message: "no failures" }
    : { type, status: "True", reason: "PodsFailing", message: describe(failing) };
}

/** Whether pods are recycled as `resilience.recycle` allows. A caller that does not know keeps the condition. */
function recycling(
  { spec }: InferenceService,
  { recyclesPods }: ServiceObjects,
  previous: InferenceServiceStatus | undefined,
): InferenceServiceFinding[] {
  const type = "Recycling";
  if (spec.resilience?.recycle === undefined) return [];
  const known =
    recyclesPods ??
    previous?.conditions
      ?.filter((each) => each.type === type)
      .map(({ status }) => status === "True")[0];
  if (known === undefined) return [];
  return known
    ? [
        {
          ...{ type, status: "True", reason: "RecyclingEnabled" },
          message: "prefillers and decoders whose prefills fail with every partner are recreated",
        },
      ]
    : [{ type, status: "False", reason: "RecyclingDisabled", message: recyclingIsOff }];
}

const recyclingIsOff = `resilience.recycle has no effect, because the status controller may not delete pods; set recyclesPods: true in InferenceControllers, or start it with ${recyclePodsFlag} and permission to delete pods`;

/** Returns a message: a sentence, the given roles, the other roles with waiting pods, and the gang that waits. */
type Describer = (states: readonly RoleState[], sentence?: string) => string;

/**
 * Returns the function that writes the messages of all conditions, so that no reason omits the pods that wait for a node.
 *
 * @param gang the nodes or pods that the gang waits for; undefined if it waits for none
 */
const describer =
  (all: readonly RoleState[], gang: string | undefined): Describer =>
  (states, sentence) => {
    const waits = ({ shortages, waiting }: RoleState) =>
      gang !== undefined && shortages.every((each) => gang.includes(each)) ? undefined : waiting;
    const shown = all.filter((state) => states.includes(state) || waits(state) !== undefined);
    const roles = shown.map((state) => inWords(state, waits(state)));
    return [sentence ?? [], roles, gang ?? []].flat().join("; ");
  };

/** Formats a role as `decode: 1 of 2 replicas ready (5 of 8 pods), pod d-1: CrashLoopBackOff`. */
function inWords({ name, status, missing, failure, shortages }: RoleState, waiting?: string) {
  const { readyReplicas, desiredReplicas, readyPods, totalPods } = status;
  const pods = totalPods === desiredReplicas ? "" : ` (${readyPods} of ${totalPods} pods)`;
  const absent = missing.length === 0 ? [] : [`${missing.join(", ")} not yet created`];
  const isTold = failure !== undefined && shortages.every((each) => failure.includes(each));
  return [
    `${name}: ${readyReplicas} of ${desiredReplicas} replicas ready${pods}`,
    ...absent,
    ...[failure ?? []].flat(),
    ...(isTold ? [] : [waiting ?? []].flat()),
  ].join(", ");
}
