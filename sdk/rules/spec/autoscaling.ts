import type { Finding, Invariant } from "../../invariant.ts";
import { acceleratorsOfUnit, scaleUnitsOf } from "../../topology/scale-units.ts";
import { needsDedicatedPicker } from "../helpers/dedicated-picker.ts";
import { inferenceRoles, type PartialSpec } from "../helpers/partial-spec.ts";

/** Rules for a service that an autoscaler scales. */

type Rule = Invariant<PartialSpec>;

const rolesOf = (spec: PartialSpec) => inferenceRoles(spec).map(({ role }) => role);

const readsThePicker: Rule = {
  id: "autoscaling-reads-the-picker",
  title: "A service with autoscaling has a router with a dedicated picker and flow control",
  why: "The picker computes the number of replicas from its queue and from the slots of the engines.",
  source: "docs/scaling.md, The metric",
  code: "reference",
  *check(spec): Iterable<Finding> {
    if (spec.autoscaling === undefined) return;
    const allowed = "a router with a dedicated picker and flow control";
    yield* needsDedicatedPicker(
      spec,
      {
        path: ["autoscaling"],
        service: "a service with autoscaling",
        allowed,
        fix: {
          router: "Add a role of type router.",
          shared: "Remove shared, so that the service has its own picker.",
        },
      },
      function* ({ flowControl }, index) {
        if (flowControl?.enabled !== false) return;
        yield {
          path: ["roles", index, "flowControl", "enabled"],
          given: "is false for a service with autoscaling",
          allowed,
          fix: "Remove it.",
        };
      },
    );
  },
};

const scalesWholeRoles: Rule = {
  id: "autoscaling-scales-whole-roles",
  title: "Each role of a service with autoscaling has one LeaderWorkerSet",
  why: "An autoscaler changes `replicas` of a LeaderWorkerSet. If each replica has its own LeaderWorkerSet, there is nothing to change.",
  source: "sigs.k8s.io/lws scale subresource",
  code: "conflict",
  *check({ autoscaling, workload, layouts }) {
    const separate = layouts.find(({ layout }) => layout.perReplica);
    if (autoscaling === undefined || separate === undefined) return;
    yield {
      path: ["workload"],
      given: `is ${workload}, which plans one LeaderWorkerSet for each replica of role ${separate.layout.role.name}`,
      allowed: "perRole, because the service has autoscaling",
      fix: "Set workload to perRole. For a service that is deployed already, this replaces its LeaderWorkerSets.",
    };
  },
};

const hasOneLimit: Rule = {
  id: "autoscaling-has-one-limit",
  title: "Autoscaling has one upper limit, which is at least its minimum",
  why: "Without a limit, a burst of requests could take every accelerator of the cluster.",
  source: "HorizontalPodAutoscaler: maxReplicas is required",
  code: "count",
  *check(spec) {
    const { autoscaling, accelerators } = spec;
    if (autoscaling === undefined) return;
    const { minUnits, maxUnits, maxAccelerators } = autoscaling;
    if ((maxUnits === undefined) === (maxAccelerators === undefined)) {
      yield {
        path: ["autoscaling", "maxUnits"],
        given: maxUnits === undefined ? "is missing" : "is set together with maxAccelerators",
        allowed: "either maxUnits or maxAccelerators",
        fix: maxUnits === undefined ? "Set one of them." : "Remove one of them.",
      };
      return;
    }
    const roles = rolesOf(spec);
    if (roles.length === 0) return;
    const { unit, max } = scaleUnitsOf(roles, autoscaling, accelerators);
    const least = Math.max(1, minUnits);
    if (max >= least) return;
    yield maxUnits === undefined
      ? {
          path: ["autoscaling", "maxAccelerators"],
          given: `is ${maxAccelerators}`,
          allowed: `at least ${least * acceleratorsOfUnit(roles, unit, accelerators)}, the accelerators of ${least === 1 ? "one unit" : `${least} units`}`,
          fix: "Raise maxAccelerators, or lower minUnits or the accelerators of a unit.",
        }
      : {
          path: ["autoscaling", "maxUnits"],
          given: `is ${maxUnits}, less than minUnits`,
          allowed: `at least ${minUnits}, the value of minUnits`,
          fix: "Raise maxUnits, or lower minUnits.",
        };
  },
};

const keepsTheGang: Rule = {
  id: "autoscaling-keeps-the-gang-minimum",
  title: "minReplicas of a gang role is at most the number of its replicas in `minUnits` units",
  why: "With fewer replicas than its minimum a gang is not valid, and lost replicas are not scheduled again.",
  source: "volcano.sh gang plugin: a job with fewer sub-groups than minSubGroups is not valid",
  code: "count",
  *check(spec) {
    const { autoscaling, accelerators, layouts } = spec;
    if (autoscaling === undefined) return;
    const { unit } = scaleUnitsOf(rolesOf(spec), autoscaling, accelerators);
    const units = Math.max(1, autoscaling.minUnits);
    for (const { index, layout } of layouts) {
      const { minReplicas, name } = layout.role;
      const least = units * (unit.get(name) ?? 1);
      if (!layout.inGang || minReplicas === undefined || minReplicas <= least) continue;
      yield {
        path: ["roles", index, "minReplicas"],
        given: `is ${minReplicas}`,
        allowed: `at most ${least}, the replicas in ${units === 1 ? "one unit" : `${units} units`}, which is the minimum of autoscaling`,
        fix: "Lower minReplicas, or raise autoscaling.minUnits.",
      };
    }
  },
};

const hpaKeepsOne: Rule = {
  id: "autoscaling-by-hpa-keeps-one-unit",
  title: "A HorizontalPodAutoscaler keeps at least one unit",
  why: "Without the feature gate HPAScaleToZero, the API server refuses minReplicas 0.",
  source: "k8s.io/kubernetes HorizontalPodAutoscaler: minReplicas",
  code: "conflict",
  *check({ autoscaling }) {
    if (autoscaling?.scaler !== "hpa" || autoscaling.minUnits > 0) return;
    yield {
      path: ["autoscaling", "minUnits"],
      given: "is 0 with scaler hpa",
      allowed: "at least 1 with scaler hpa",
      fix: "Set minUnits to 1, or set scaler to keda.",
    };
  },
};

export const autoscalingRules: readonly Rule[] = [
  readsThePicker,
  scalesWholeRoles,
  hasOneLimit,
  keepsTheGang,
  hpaKeepsOne,
];
