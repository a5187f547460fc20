import { pickerOfPool } from "../../kubernetes/kinds/inference-pool.ts";
import { label, pickerOwner } from "../names.ts";
import type { PodTemplate } from "../schemas/pod-template.ts";
import type { GangLayout, InferenceService, WorkloadMode } from "../spec/inference-service.ts";
import {
  type ComponentType,
  type InferenceRole,
  isComponentType,
  type RouterRole,
} from "../spec/role.ts";
import { runtimePorts } from "../topology/runtime-ports.ts";

/** Objects of a service as an API server sends them; undefined or empty if the cluster does not have them. */
export interface ServiceManifests {
  readonly workloads: readonly unknown[];
  readonly podGroup: unknown;
  /** Deployment of the endpoint picker. */
  readonly picker: unknown;
  readonly pool: unknown;
  readonly route: unknown;
  /** The Gateway that was created for the service, if any. */
  readonly gateway: unknown;
}

/** A service derived from its planned objects. */
export interface ReportedService {
  /** The fields that a status depends on. Templates are from the objects, and routes are empty. */
  readonly service: InferenceService;
  /** A sentence for each fact that the objects do not contain. */
  readonly unreported: readonly string[];
}

/**
 * Derives a service from the names, labels and counts of its planned objects. The result replaces the InferenceService
 * object, from which a status is computed, if the cluster has none.
 *
 * @returns undefined if no object belongs to a service with that name
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

/** Returns the roles that run engines: roles with LeaderWorkerSets, and roles of the gang without any. */
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
    // The pods already contain the planned drain.
    drainSeconds: 0,
    // A role with 0 replicas has the minimum 0, which a spec cannot contain.
    ...(minReplicas !== undefined && minReplicas > 0 && { minReplicas }),
    ...(size > 1 && {
      multinode: { nodeCount: size, executor: "ray", distinctNodes: false } as const,
    }),
  };
}

interface RawPicker {
  readonly spec?: { readonly replicas?: number };
}

/** Assumed name of the router: no object contains its name in the spec. */
const unreportedRouterName = "router";

/** Returns a router if any of its objects exists. */
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

/** Returns the replicas of the service's picker, or the shared picker that its pool names. */
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

/**
 * Returns the mode in which exactly these roles have one LeaderWorkerSet per replica. In mode `auto`, some roles have
 * one per replica and others have one per role.
 */
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
