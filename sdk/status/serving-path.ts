import { httpRouteName, inferencePoolName, label, podGroupName } from "../names.ts";
import { type InferenceService, routerOf } from "../spec/inference-service.ts";
import { layOut } from "../topology/role-layout.ts";
import { routerPickerOf } from "../topology/router-picker.ts";
import type { Condition } from "./conditions.ts";
import { waitingGang } from "./gang.ts";
import type { ServiceObjects } from "./inference-service-status.ts";
import type { ObservedParents } from "./observed.ts";
import { podsInWords } from "./pod-obstacle.ts";
import { pickerReplicas, type RouterOfPods } from "./role-status.ts";
import { acceptedBy, objection } from "./route.ts";

/** One object between a request and the engines. */
export interface PathObject {
  /** Kind and name. */
  readonly object: string;
  /** Undefined if no status is reported and none is required. */
  readonly works: boolean | undefined;
  readonly state: string;
}

/** A Gateway that the service's route names. */
export interface ObservedGateway {
  readonly namespace: string;
  readonly name: string;
  /** Absent if the cluster has no such Gateway. */
  readonly found?: {
    readonly className: string;
    readonly conditions: readonly Condition[];
    readonly addresses: readonly string[];
  };
}

/** Returns the objects that requests and pods depend on: the gang, the picker, the pool, the route and its gateways. */
export function servingPath(
  service: InferenceService,
  objects: ServiceObjects,
  gateways: readonly ObservedGateway[],
): PathObject[] {
  const { metadata, spec } = service;
  const router = routerOf(spec);
  const hasGang = layOut(metadata.name, spec).some(({ inGang }) => inGang);
  return [
    ...(hasGang ? [gangOf(service, objects)] : []),
    ...(router === undefined
      ? []
      : [pickerOf(metadata.name, router, objects), poolOf(metadata.name, objects)]),
    ...(router?.httproute === undefined && router?.gateway === undefined
      ? []
      : [parentsOf(`HTTPRoute ${httpRouteName(metadata.name)}`, objects.route, "required")]),
    ...gateways.map(gatewayOf),
  ];
}

const absent = (object: string): PathObject => ({ object, works: false, state: "does not exist" });

function gangOf(service: InferenceService, objects: ServiceObjects): PathObject {
  const object = `PodGroup ${podGroupName(service.metadata.name)}`;
  const { podGroup } = objects;
  if (podGroup === undefined) return absent(object);
  const { phase } = podGroup;
  const waits = waitingGang(service, objects);
  return {
    object,
    works: phase === "Running" || phase === "Completed",
    state: waits === undefined ? phase : `${phase}, ${waits}`,
  };
}

function pickerOf(service: string, router: RouterOfPods, objects: ServiceObjects): PathObject {
  const app = routerPickerOf(service, router).name;
  const replicas = pickerReplicas(router, objects.picker);
  const object = `Deployment ${app}`;
  if (objects.picker === undefined) return absent(object);
  const pods = objects.pods.filter(
    ({ labels, deleting }) => labels[label.app] === app && !deleting,
  );
  const isEmpty = pods.length === 0 && replicas > 0;
  return {
    object,
    works: pods.some((pod) => pod.ready),
    state: podsInWords(pods, replicas) + (isEmpty ? ", it has no pod" : ""),
  };
}

function poolOf(service: string, { pool, refusal }: ServiceObjects): PathObject {
  const object = `InferencePool ${inferencePoolName(service)}`;
  return refusal === undefined
    ? parentsOf(object, pool, "optional")
    : { object, works: false, state: refusal };
}

/** A gateway need not report a status of a pool, but a route works only if a gateway accepts it. */
function parentsOf(
  object: string,
  observed: ObservedParents | undefined,
  word: "optional" | "required",
): PathObject {
  if (observed === undefined) return absent(object);
  const against = objection(observed);
  if (against !== undefined) return { object, works: false, state: against };
  const names = acceptedBy(observed);
  if (names.length > 0) return { object, works: true, state: `accepted by ${names.join(", ")}` };
  return word === "optional"
    ? { object, works: undefined, state: "no gateway has reported a status for it" }
    : { object, works: false, state: "no gateway has accepted it" };
}

function gatewayOf({ namespace, name, found }: ObservedGateway): PathObject {
  const object = `Gateway ${namespace}/${name}`;
  if (found === undefined) return absent(object);
  const { className, conditions, addresses } = found;
  const condition = (type: string) => conditions.find((each) => each.type === type);
  const no = ["Accepted", "Programmed"]
    .map(condition)
    .find((each) => each?.status === "False" && each.reason !== "Pending");
  if (no !== undefined) return { object, works: false, state: `${no.reason}: ${no.message}` };
  if (condition("Programmed")?.status !== "True")
    return { object, works: false, state: `no controller of GatewayClass ${className} serves it` };
  return addresses.length === 0
    ? { object, works: true, state: "programmed, without an address" }
    : { object, works: true, state: `programmed at ${addresses.join(", ")}` };
}
