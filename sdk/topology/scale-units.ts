import type { NamedAccelerator } from "../engines/accelerators/named-accelerator.ts";
import { acceleratorsOfPod } from "../engines/accelerators/pod-accelerators.ts";
import { nodeCountOf } from "../engines/containers/executor.ts";
import type { Autoscaling } from "../spec/autoscaling.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../spec/inference-service.ts";
import type { InferenceRole } from "../spec/role.ts";

/** The units in which a service is scaled. */
export interface ScaleUnits {
  /** Replicas of each role in one unit, by role name. Does not contain roles that are stopped by `replicas: 0`. */
  readonly unit: ReadonlyMap<string, number>;
  /** Units at the creation of the service. The autoscaler changes their number afterwards. */
  readonly first: number;
  readonly min: number;
  /** 0 if one unit exceeds the budget. */
  readonly max: number;
}

/** Returns the units of a service: the largest number of equal parts of its replicas. */
export function scaleUnitsOf(
  roles: readonly InferenceRole[],
  { minUnits, maxUnits, maxAccelerators }: Autoscaling,
  accelerators: readonly NamedAccelerator[] = [],
): ScaleUnits {
  const parts = roles.map(({ replicas }) => replicas).reduce(greatestDivisor, 0);
  // A service that is created at zero has the same number of replicas of each role in a unit.
  const unit = new Map(
    roles
      .map(({ name, replicas }) => [name, parts === 0 ? 1 : replicas / parts] as const)
      .filter(([, replicas]) => replicas > 0),
  );
  const perUnit = acceleratorsOfUnit(roles, unit, accelerators);
  const max = maxUnits ?? Math.floor((maxAccelerators ?? 0) / perUnit);
  return { unit, first: Math.max(minUnits, Math.min(parts, max)), min: minUnits, max };
}

/** Returns the units of a service; undefined without an autoscaler. */
export const scaleUnitsIn = ({
  autoscaling,
  accelerators,
  ...spec
}: Pick<InferenceServiceSpec, "roles"> &
  Partial<Pick<InferenceServiceSpec, "autoscaling" | "accelerators">>): ScaleUnits | undefined =>
  autoscaling && scaleUnitsOf(inferenceRolesOf(spec), autoscaling, accelerators);

/** Returns the replicas of a role at the creation of the service, and within which an autoscaler changes them. */
export function replicasIn({ unit, first, min, max }: ScaleUnits, role: string) {
  const replicas = unit.get(role) ?? 0;
  return { first: first * replicas, least: min * replicas, most: max * replicas };
}

/** Returns the accelerators of one unit, at least 1. */
export const acceleratorsOfUnit = (
  roles: readonly InferenceRole[],
  unit: ReadonlyMap<string, number>,
  accelerators: readonly NamedAccelerator[] = [],
): number =>
  Math.max(
    1,
    roles.reduce((sum, role) => {
      const perPod = acceleratorsOfPod(role.template.spec, accelerators) ?? 0;
      return sum + perPod * nodeCountOf(role) * (unit.get(role.name) ?? 0);
    }, 0),
  );

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));
