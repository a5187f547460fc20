import { pickerOfPool } from "../../kubernetes/kinds/inference-pool.ts";
import type { GangLayout, InferenceService, WorkloadMode } from "../spec/inference-service.ts";
import {
  type ComponentType,
  type InferenceRole,
  isComponentType,
  type PodTemplate,
  type RouterRole,
} from "../spec/role.ts";
import { label, pickerOwner } from "../topology/names.ts";
import { runtimePorts } from "../topology/runtime-ports.ts";

/** Objects of a service as an API server sends them; what the cluster has not is absent. */
export interface ServiceManifests {
  readonly workloads: readonly unknown[];
  readonly podGroup: unknown;
  /** Deployment of the endpoint picker. */
  readonly picker: unknown;
  readonly pool: unknown;
  readonly route: unknown;
  /** The Gateway that the service has made, if any. */
  readonly gateway: unknown;
}

/** What objects tell of the service that they were planned from. */
export interface ReportedService {
  /** Enough of it to measure a status by; templates and routes are only as the objects have them. */
  readonly service: InferenceService;
  /** What the objects do not tell, a sentence each. */
  readonly unreported: readonly string[];
}

/**
 * The service that objects were planned from, as far as their names, labels and counts tell it. A status is measured by
 * a spec; where the cluster has no InferenceService object, this stands in for it.
 *
 * @returns undefined where no object belongs to a service of that name
 */
export function serviceOfObjects(
  metadata: { readonly namespace: string; readonly name: string },
  objects: ServiceManifests,
): ReportedService | undefined {
  const workloads = objects.workloads as readonly RawWorkload[];
  const gang = objects.podGroup as RawPodGroup | undefined;
  const roles = rolesOf(workloads, gang);
  const router = routerOf(metadata.name, objects);
  if (roles.length === 0 && router === undefined && gang === undefined) return undefined;
  return {
    service: {
      metadata: { ...metadata, labels: {}, annotations: {} },
      spec: {
        roles: [...roles.map(({ role }) => role), ...(router === undefined ? [] : [router])],
        workload: workloadMode(roles),
        schedulingStrategy: { gang: { layout: layoutOf(gang) } },
        networkPolicy: { enabled: true },
      },
    },
    unreported: unreportedIn(roles, router, gang),
  };
}

interface RawWorkload {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly replicas?: number;
    readonly leaderWorkerTemplate: { readonly size?: number; readonly workerTemplate: PodTemplate };
  };
}

interface RawPodGroup {
  readonly spec?: {
    readonly minTaskMember?: Readonly<Record<string, number>>;
    readonly subGroupPolicy?: ReadonlyArray<{
      readonly name: string;
      readonly subGroupSize?: number;
      readonly minSubGroups?: number;
    }>;
  };
}

interface ReportedRole {
  readonly role: InferenceRole;
  readonly perReplica: boolean;
}

/** Roles that run engines: those with LeaderWorkerSets, and those that the gang counts although they have none. */
function rolesOf(workloads: readonly RawWorkload[], gang: RawPodGroup | undefined): ReportedRole[] {
  const byRole = Map.groupBy(workloads, ({ metadata }) => metadata.labels?.[label.roleName] ?? "");
  const subGroups = gang?.spec?.subGroupPolicy ?? [];
  const present = [...byRole]
    .filter(([name]) => name !== "")
    .map(([name, own]) => reportedRole(name, own, gang));
  const gone = subGroups
    .filter(({ name }) => !byRole.has(name))
    .map(({ name, subGroupSize = 1, minSubGroups = 0 }): ReportedRole => {
      const replicas = minSubGroups;
      const counts = { replicas, minReplicas: minSubGroups, size: subGroupSize };
      return { role: roleOf(name, "worker", counts, noTemplate), perReplica: true };
    });
  return [...present, ...gone];
}

const noTemplate: PodTemplate = { spec: { containers: [] } };

function reportedRole(
  name: string,
  workloads: readonly RawWorkload[],
  gang: RawPodGroup | undefined,
): ReportedRole {
  const [first] = workloads;
  const labels = first?.metadata.labels ?? {};
  const perReplica = labels[label.replicaIndex] !== undefined;
  const replicas = perReplica
    ? Math.max(...workloads.map(indexOf)) + 1
    : (first?.spec.replicas ?? 1);
  const size = first?.spec.leaderWorkerTemplate.size ?? 1;
  const type = labels[label.componentType];
  const minReplicas = gang?.spec?.subGroupPolicy?.find((each) => each.name === name)?.minSubGroups;
  return {
    role: roleOf(
      name,
      isComponentType(type) && type !== "router" ? type : "worker",
      { replicas, minReplicas, size },
      first?.spec.leaderWorkerTemplate.workerTemplate ?? noTemplate,
    ),
    perReplica,
  };
}

const indexOf = ({ metadata }: RawWorkload): number =>
  Number(metadata.labels?.[label.replicaIndex] ?? 0);

function roleOf(
  name: string,
  componentType: Exclude<ComponentType, "router">,
  counts: { replicas: number; minReplicas: number | undefined; size: number },
  template: PodTemplate,
): InferenceRole {
  const { replicas, minReplicas, size } = counts;
  return {
    componentType,
    name,
    replicas,
    template,
    // The pods contain the planned drain already.
    drainSeconds: 0,
    // A role of 0 replicas has a minimum of none, which a spec does not write.
    ...(minReplicas !== undefined && minReplicas > 0 && { minReplicas }),
    ...(size > 1 && {
      multinode: { nodeCount: size, executor: "ray", distinctNodes: false } as const,
    }),
  };
}

interface RawPicker {
  readonly spec?: { readonly replicas?: number };
}

/** Its name in the spec is on no object. */
const unreportedRouterName = "router";

/** A router, where any of what it consists of is there. */
function routerOf(
  service: string,
  { picker, pool, route, gateway }: ServiceManifests,
): RouterRole | undefined {
  if ([picker, pool, route, gateway].every((each) => each === undefined)) return undefined;
  return {
    componentType: "router",
    name: unreportedRouterName,
    ...pickerOf(service, picker as RawPicker | undefined, pool),
    failureMode: "FailClose",
    metricsAuth: false,
    ...(route !== undefined && { httproute: {} }),
    ...(gateway !== undefined && { gateway: {} }),
  };
}

/** The pods of the service's own picker, or the picker of another name that its pool says it shares. */
function pickerOf(
  service: string,
  picker: RawPicker | undefined,
  pool: unknown,
): Pick<RouterRole, "replicas" | "shared"> {
  const ref = pickerOfPool(pool);
  const owner = ref && pickerOwner(ref.name);
  return owner === undefined || owner === service
    ? { replicas: picker?.spec?.replicas ?? 1 }
    : { replicas: 1, shared: { name: owner, port: ref?.port?.number ?? runtimePorts.extProc } };
}

/** The mode by which exactly these roles have one LeaderWorkerSet per replica. Only `auto` mixes. */
function workloadMode(roles: readonly ReportedRole[]): WorkloadMode {
  if (roles.every(({ perReplica }) => perReplica)) return "perReplica";
  return roles.some(({ perReplica }) => perReplica) ? "auto" : "perRole";
}

function layoutOf(gang: RawPodGroup | undefined): GangLayout {
  if (gang === undefined) return "none";
  return gang.spec?.minTaskMember === undefined ? "subGroup" : "task";
}

function unreportedIn(
  roles: readonly ReportedRole[],
  router: RouterRole | undefined,
  gang: RawPodGroup | undefined,
): string[] {
  return [
    "Roles and replicas without objects in the cluster are not reported as missing.",
    ...(gang === undefined && roles.length > 0
      ? ["There is no PodGroup, so the minimum of each role is assumed to be one ready replica."]
      : []),
    ...(router === undefined
      ? ["There is no router, and it is unknown whether the service should have one."]
      : router.httproute === undefined
        ? ["There is no HTTPRoute, and it is unknown whether the service should have one."]
        : []),
  ];
}
