import { kinds } from "../../kubernetes/kinds/index.ts";
import { pickerOfPool } from "../../kubernetes/kinds/inference-pool.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import {
  endpointPickerName,
  gatewayName,
  httpRouteName,
  inferencePoolName,
  label,
  podGroupName,
} from "../../sdk/names.ts";
import { portRefusal } from "../../sdk/routing/picker-ports.ts";
import type { ServiceObjects } from "../../sdk/status/inference-service-status.ts";
import {
  observeEvent,
  observeParents,
  observePickedPool,
  observePodGroup,
  observeWorkload,
} from "../../sdk/status/observed.ts";
import type { ServiceManifests } from "../../sdk/status/service-of-objects.ts";
import type { ObservedGateway } from "../../sdk/status/serving-path.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import type { Seen } from "../doctor/observation.ts";
import { observePods } from "./observe-pods.ts";

/** All objects of a service in a cluster, read concurrently. */
export interface ServiceReading {
  /** The objects as the API server returns them. */
  readonly manifests: ServiceManifests;
  /** The parts from which a status is computed. */
  readonly objects: ServiceObjects;
  /** The Gateway that the service has created, and the Gateways that its route refers to. */
  readonly gateways: readonly ObservedGateway[];
}

/** An object that may not be read makes the status stale, except for events, which only help. */
export async function observeService(
  api: ApiReader,
  namespace: string,
  service: string,
): Promise<ServiceReading> {
  const own = `?labelSelector=${encodeURIComponent(`${label.service}=${service}`)}`;
  const get = (kind: KindAddress, name: string) =>
    api.get<object>(objectPath(kind, { namespace, name }));
  const events = (selector: string) =>
    api.get<List>(
      `${collectionPath(unplanned.Event, namespace)}?fieldSelector=${encodeURIComponent(selector)}`,
    );
  const pool = await get(kinds.InferencePool, inferencePoolName(service));
  // A picker's Deployment has the same name as its Service.
  const picker = pickerOfPool(value(pool))?.name ?? endpointPickerName(service);
  const ofPicker = `?labelSelector=${encodeURIComponent(`${label.app}=${picker}`)}`;
  const isShared = picker !== endpointPickerName(service);
  const [
    pods,
    pickerPods,
    pools,
    workloads,
    podGroup,
    deployment,
    route,
    gateway,
    ofWorkloads,
    ofSets,
    ofPods,
    ofGangs,
  ] = await Promise.all([
    api.get<List>(collectionPath(unplanned.Pod, namespace) + own),
    // Pods of a shared picker do not have the label of a service.
    isShared ? api.get<List>(collectionPath(unplanned.Pod, namespace) + ofPicker) : nothing,
    isShared ? api.get<List>(collectionPath(kinds.InferencePool, namespace)) : nothing,
    api.get<List>(collectionPath(kinds.LeaderWorkerSet, namespace) + own),
    get(kinds.PodGroup, podGroupName(service)),
    get(kinds.Deployment, picker),
    get(kinds.HTTPRoute, httpRouteName(service)),
    get(kinds.Gateway, gatewayName(service)),
    events("involvedObject.kind=LeaderWorkerSet"),
    events("involvedObject.kind=StatefulSet,reason=FailedCreate"),
    events("involvedObject.kind=Pod,reason=Killing"),
    events("involvedObject.kind=PodGroup"),
  ]);
  const made = value(gateway);
  return {
    manifests: {
      workloads: itemsOf(workloads),
      podGroup: value(podGroup),
      picker: value(deployment),
      pool: value(pool),
      route: value(route),
      gateway: made,
    },
    objects: {
      pods: await observePods(
        api,
        [...itemsOf(pods), ...itemsOf(pickerPods)],
        itemsOf(ofPods).map(observeEvent),
      ),
      workloads: itemsOf(workloads).map(observeWorkload),
      events: [ofWorkloads, ofSets, ofGangs].flatMap(itemsOf).map(observeEvent),
      podGroup: seen(podGroup, observePodGroup),
      picker: seen(deployment, observeWorkload),
      pool: seen(pool, observeParents),
      route: seen(route, observeParents),
      refusal: seen(pool, (own) =>
        portRefusal(observePickedPool(own), itemsOf(pools).map(observePickedPool)),
      ),
      recyclesPods: undefined,
      stale: [pods, workloads, podGroup, deployment, pool, route].flatMap((each) =>
        each.state === "forbidden" ? [each.why] : [],
      )[0],
    },
    gateways: await observeGateways(api, namespace, value(route) as RawRoute | undefined, [
      ...(made === undefined ? [] : [gatewayName(service)]),
    ]),
  };
}

interface RawRoute {
  readonly spec?: {
    readonly parentRefs?: ReadonlyArray<{
      readonly kind?: string;
      readonly namespace?: string;
      readonly name: string;
    }>;
  };
}

interface RawGateway {
  readonly spec?: { readonly gatewayClassName?: string };
  readonly status?: {
    readonly conditions?: NonNullable<ObservedGateway["found"]>["conditions"];
    readonly addresses?: ReadonlyArray<{ readonly value?: string }>;
  };
}

/** Returns the gateways that a route refers to, and other gateways of its namespace. Unreadable ones are omitted. */
async function observeGateways(
  api: ApiReader,
  namespace: string,
  route: RawRoute | undefined,
  others: readonly string[],
): Promise<ObservedGateway[]> {
  const parents = (route?.spec?.parentRefs ?? [])
    .filter(({ kind = "Gateway" }) => kind === "Gateway")
    .map((ref) => `${ref.namespace ?? namespace}/${ref.name}`);
  const locations = new Set([...parents, ...others.map((name) => `${namespace}/${name}`)]);
  const read = [...locations].map(async (location): Promise<ObservedGateway[]> => {
    const [of = "", name = ""] = location.split("/");
    const gateway = await api.get<RawGateway>(objectPath(kinds.Gateway, { namespace: of, name }));
    if (gateway.state === "forbidden") return [];
    if (gateway.state === "absent") return [{ namespace: of, name }];
    const { spec, status } = gateway.value;
    const found = {
      className: spec?.gatewayClassName ?? "",
      conditions: status?.conditions ?? [],
      addresses: (status?.addresses ?? []).flatMap(({ value }) => (value ? [value] : [])),
    };
    return [{ namespace: of, name, found }];
  });
  return (await Promise.all(read)).flat();
}

interface List {
  readonly items: readonly unknown[];
}

const nothing: Seen<List> = { state: "absent" };

const itemsOf = (list: Seen<List>): readonly unknown[] =>
  list.state === "seen" ? list.value.items : [];

const value = <T>(object: Seen<T>): T | undefined =>
  object.state === "seen" ? object.value : undefined;

const seen = <T>(object: Seen<object>, observe: (object: unknown) => T): T | undefined =>
  object.state === "seen" ? observe(object.value) : undefined;
