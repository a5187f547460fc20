import type { NamedAccelerator } from "../../engines/accelerators/named-accelerator.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import {
  type InferenceRole,
  isInferenceRole,
  type Role,
  type RouterRole,
} from "../../spec/role.ts";
import { layOut, type RoleLayout } from "../../topology/role-layout.ts";

/**
 * The readable part of a service. Rules see every well-formed role in full, and the name and type of a malformed role
 * as written, so that one malformed role does not hide problems in the others.
 */
export interface PartialSpec {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly roles: readonly PartialRole[];
  readonly workload: InferenceServiceSpec["workload"];
  /** Undefined also if it is malformed. */
  readonly autoscaling?: InferenceServiceSpec["autoscaling"];
  readonly rollout?: InferenceServiceSpec["rollout"];
  readonly schedulingStrategy: InferenceServiceSpec["schedulingStrategy"];
  readonly accelerators: readonly NamedAccelerator[];
  /** Undefined also if it is malformed. */
  readonly accelerator?: InferenceServiceSpec["accelerator"];
  readonly nodes?: InferenceServiceSpec["nodes"];
  /**
   * Layouts of the well-formed roles that run an engine. Computed once for all rules, because a role may have thousands
   * of replicas.
   */
  readonly layouts: readonly PlacedLayout[];
}

export interface PartialRole {
  /** Index in `roles`. */
  readonly index: number;
  readonly name: unknown;
  readonly componentType: unknown;
  /** Set if the role is well-formed. */
  readonly role?: Role;
  /** Whether plugins may add fields to the role's template. */
  readonly hasPlugins?: boolean;
}

/** Layout of a well-formed role that runs an engine, with the role's index. */
export interface PlacedLayout {
  readonly index: number;
  readonly layout: RoleLayout;
}

/** A well-formed role with its index. */
export interface Placed<R extends Role> {
  readonly index: number;
  readonly role: R;
}

const placed = (spec: Pick<PartialSpec, "roles">): Placed<Role>[] =>
  spec.roles.flatMap(({ index, role }) => (role === undefined ? [] : [{ index, role }]));

export const inferenceRoles = (spec: Pick<PartialSpec, "roles">): Placed<InferenceRole>[] =>
  placed(spec).filter((entry): entry is Placed<InferenceRole> => isInferenceRole(entry.role));

export const routers = (spec: Pick<PartialSpec, "roles">): Placed<RouterRole>[] =>
  placed(spec).filter((entry): entry is Placed<RouterRole> => !isInferenceRole(entry.role));

export function withLayouts(spec: Omit<PartialSpec, "layouts">): PartialSpec {
  const { name, workload, autoscaling, rollout, accelerators, schedulingStrategy } = spec;
  const roles = placed(spec).map(({ role }) => role);
  const places = inferenceRoles(spec);
  const layouts = layOut(name, {
    ...{ roles, workload, autoscaling, rollout, schedulingStrategy },
    accelerators: [...accelerators],
  }).map((layout, at) => ({ index: places[at]?.index ?? at, layout }));
  return { ...spec, layouts };
}
