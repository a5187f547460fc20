import type { ServiceObjects } from "../../sdk/status/inference-service-status.ts";
import {
  observeEvent,
  observeParents,
  observePod,
  observePodGroup,
  observeWorkload,
} from "../../sdk/status/observed.ts";
import {
  endpointPickerName,
  httpRouteName,
  inferencePoolName,
  label,
  podGroupName,
} from "../../sdk/topology/names.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import type { Seen } from "../doctor/observation.ts";

/** What a cluster has of a service, read once. What may not be read makes the rest stale; events are only a help. */
export async function observeService(
  api: ApiReader,
  namespace: string,
  service: string,
): Promise<ServiceObjects> {
  const own = `?labelSelector=${encodeURIComponent(`${label.service}=${service}`)}`;
  const get = (group: string, plural: string, name: string) =>
    api.get<object>(`/apis/${group}/namespaces/${namespace}/${plural}${name}`);
  const events = (selector: string) =>
    api.get<List>(
      `/api/v1/namespaces/${namespace}/events?fieldSelector=${encodeURIComponent(selector)}`,
    );
  const [pods, workloads, podGroup, picker, pool, route, ofWorkloads, ofSets] = await Promise.all([
    api.get<List>(`/api/v1/namespaces/${namespace}/pods${own}`),
    get("leaderworkerset.x-k8s.io/v1", "leaderworkersets", own),
    get("scheduling.volcano.sh/v1beta1", "podgroups", `/${podGroupName(service)}`),
    get("apps/v1", "deployments", `/${endpointPickerName(service)}`),
    get("inference.networking.k8s.io/v1", "inferencepools", `/${inferencePoolName(service)}`),
    get("gateway.networking.k8s.io/v1", "httproutes", `/${httpRouteName(service)}`),
    events("involvedObject.kind=LeaderWorkerSet"),
    events("involvedObject.kind=StatefulSet,reason=FailedCreate"),
  ]);
  return {
    pods: itemsOf(pods).map(observePod),
    workloads: itemsOf(workloads as Seen<List>).map(observeWorkload),
    events: [...itemsOf(ofWorkloads), ...itemsOf(ofSets)].map(observeEvent),
    podGroup: seen(podGroup, observePodGroup),
    picker: seen(picker, observeWorkload),
    pool: seen(pool, observeParents),
    route: seen(route, observeParents),
    stale: [pods, workloads, podGroup, picker, pool, route].flatMap((each) =>
      each.state === "hidden" ? [each.why] : [],
    )[0],
  };
}

interface List {
  readonly items: readonly unknown[];
}

const itemsOf = (list: Seen<List>): readonly unknown[] =>
  list.state === "seen" ? list.value.items : [];

const seen = <T>(object: Seen<object>, observe: (object: unknown) => T): T | undefined =>
  object.state === "seen" ? observe(object.value) : undefined;
