import type { NamedAccelerator } from "../spec/accelerators.ts";
import type { InferenceServiceSpec } from "../spec/inference-service.ts";
import { type InferenceRole, isInferenceRole, type Role, type RouterRole } from "../spec/role.ts";
import { layOut, type RoleLayout } from "../topology/role-layout.ts";

/**
 * A service as far as it could be read. Rules see every role that has the right shape, and of the others the
 * name and type as written, so that one malformed role does not hide what is wrong with the rest.
 */
export interface PartialSpec {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly roles: readonly PartialRole[];
  readonly workload: InferenceServiceSpec["workload"];
  readonly schedulingStrategy: InferenceServiceSpec["schedulingStrategy"];
  readonly accelerators: readonly NamedAccelerator[];
  /** Layouts of the well-formed roles that run an engine. Rules share them, since a role may have thousands of replicas. */
  readonly layouts: readonly PlacedLayout[];
}

export interface PartialRole {
  /** Place in `roles`. */
  readonly index: number;
  readonly name: unknown;
  readonly componentType: unknown;
  /** Set where the role has the right shape. */
  readonly role?: Role;
  /** Whether plugins may add to what its template says. */
  readonly hasPlugins?: boolean;
}

/** How a well-formed role that runs an engine is laid out, with its place. */
export interface PlacedLayout {
  readonly index: number;
  readonly layout: RoleLayout;
}

/** A well-formed role with its place. */
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

/** The spec with its layouts. */
export function withLayouts(spec: Omit<PartialSpec, "layouts">): PartialSpec {
  const { name, workload, schedulingStrategy } = spec;
  const roles = placed(spec).map(({ role }) => role);
  const places = inferenceRoles(spec);
  const layouts = layOut(name, { roles, workload, schedulingStrategy }).map((layout, at) => ({
    index: places[at]?.index ?? at,
    layout,
  }));
  return { ...spec, layouts };
}
