import type { InferenceServiceSpec } from "../spec/inference-service.ts";
import { type InferenceRole, isInferenceRole, type Role, type RouterRole } from "../spec/role.ts";

/**
 * A service as far as it could be read. Rules see every role that has the right shape, and of the others the
 * name and type as written, so that one malformed role does not hide what is wrong with the rest.
 */
export interface Draft {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly roles: readonly DraftRole[];
  readonly workload: InferenceServiceSpec["workload"];
  readonly schedulingStrategy: InferenceServiceSpec["schedulingStrategy"];
}

export interface DraftRole {
  /** Place in `roles`. */
  readonly index: number;
  readonly name: unknown;
  readonly componentType: unknown;
  /** Set where the role has the right shape. */
  readonly role?: Role;
}

/** A well-formed role with its place. */
export interface Placed<R extends Role> {
  readonly index: number;
  readonly role: R;
}

const placed = (draft: Draft): Placed<Role>[] =>
  draft.roles.flatMap(({ index, role }) => (role === undefined ? [] : [{ index, role }]));

export const inferenceRoles = (draft: Draft): Placed<InferenceRole>[] =>
  placed(draft).filter((entry): entry is Placed<InferenceRole> => isInferenceRole(entry.role));

export const routers = (draft: Draft): Placed<RouterRole>[] =>
  placed(draft).filter((entry): entry is Placed<RouterRole> => !isInferenceRole(entry.role));

/** The well-formed part of a draft as a spec, for what is computed from a whole service. */
export const specOf = (draft: Draft): InferenceServiceSpec => ({
  roles: placed(draft).map(({ role }) => role),
  workload: draft.workload,
  schedulingStrategy: draft.schedulingStrategy,
});
