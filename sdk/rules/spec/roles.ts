import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import type { NamedAccelerator } from "../../engines/accelerators/named-accelerator.ts";
import { hasClaims, isDevice } from "../../engines/accelerators/pod-accelerators.ts";
import { containersOf } from "../../engines/containers/containers.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { engineNameOfRole, isMultiNode, nodeCountOf } from "../../engines/containers/executor.ts";
import type { Invariant } from "../../invariant.ts";
import type { Container } from "../../schemas/pod-template.ts";
import { isDisaggregated } from "../../spec/inference-service.ts";
import { wrongAccelerators } from "../helpers/accelerator-amounts.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";
import { inferenceRoles, type PartialSpec } from "../helpers/partial-spec.ts";
import { engineStartRules } from "./engine-start.ts";
import { isPairSide, missingTransfer, pairTransfersBlocks } from "./kv-transfer.ts";
import { pairTensorSizesDivide } from "./pair-tensor-sizes.ts";
import { transferIsPlanned } from "./planned-transfer.ts";

const pairing =
  "InferenceService design, Gang Scheduling Behavior: 'At least one prefill AND one decode replica'";

const serviceHasInferenceRole: Invariant<PartialSpec> = {
  id: "service-has-an-inference-role",
  title: "A service has at least one role that serves a model",
  why: "With only a router, the pool has no pods.",
  source: "InferenceService design, Component Types",
  code: "reference",
  *check({ roles }) {
    if (roles.length === 0 || roles.some(({ componentType }) => componentType !== "router")) return;
    yield {
      path: ["roles"],
      given: "contains only routers",
      allowed: "at least one worker, or a prefiller and a decoder",
      fix: "Add a role that serves the model.",
    };
  },
};

const prefillersAndDecodersPair: Invariant<PartialSpec> = {
  id: "prefillers-and-decoders-pair",
  title: "A service with prefillers has decoders, and the reverse",
  why: "A request needs both, so one side alone serves no requests.",
  source: pairing,
  code: "reference",
  *check({ roles }) {
    const prefiller = roles.find(({ componentType }) => componentType === "prefiller");
    const decoder = roles.find(({ componentType }) => componentType === "decoder");
    const lonely = prefiller ?? decoder;
    if (lonely === undefined || (prefiller !== undefined && decoder !== undefined)) return;
    const missing = lonely === prefiller ? "decoder" : "prefiller";
    yield {
      path: ["roles", lonely.index, "componentType"],
      given: `is ${String(lonely.componentType)}, but no role is a ${missing}`,
      allowed: "prefillers and decoders together, or workers",
      fix: `Add a ${missing} role, or make this one a worker.`,
    };
  },
};

const pairScalesTogether: Invariant<PartialSpec> = {
  id: "pair-scales-to-zero-together",
  title: "Prefillers and decoders are scaled to zero together",
  why: "One side alone holds GPUs and serves no requests.",
  source: pairing,
  code: "count",
  *check(spec) {
    const side = (type: string) =>
      inferenceRoles(spec).filter(({ role }) => role.componentType === type);
    const running = (roles: ReturnType<typeof side>) => roles.some(({ role }) => role.replicas > 0);
    const prefillers = side("prefiller");
    const decoders = side("decoder");
    if (prefillers.length === 0 || decoders.length === 0) return;
    if (running(prefillers) === running(decoders)) return;
    const [stopped, other] = running(prefillers)
      ? [decoders, "prefillers"]
      : [prefillers, "decoders"];
    for (const { index } of stopped) {
      yield {
        path: ["roles", index, "replicas"],
        given: `is 0, but the ${other} have replicas`,
        allowed: `at least 1, or 0 for both prefillers and decoders`,
        fix: `Set it to 1 or more, or set the replicas of the ${other} to 0 too.`,
      };
    }
  },
};

const minReplicasWithinReplicas: Invariant<PartialSpec> = {
  id: "min-replicas-within-replicas",
  title: "minReplicas is at most replicas",
  why: "A gang that requires more replicas than exist never starts.",
  source: "volcano.sh gang plugin: a job with fewer sub-groups than minSubGroups is not valid",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { minReplicas, replicas } = role;
      if (minReplicas === undefined || replicas === 0 || minReplicas <= replicas) continue;
      yield {
        path: ["roles", index, "minReplicas"],
        given: `is ${minReplicas}, more than replicas`,
        allowed: `at most ${replicas}, the value of replicas`,
        fix: "Lower minReplicas, or raise replicas.",
      };
    }
  },
};

const rolloutReplacesReplicas: Invariant<PartialSpec> = {
  id: "rollout-replaces-replicas",
  title:
    "An update may stop a replica or add one, but adds no replica to a role with one LeaderWorkerSet per replica",
  why: "If an update may do neither, it waits forever. A LeaderWorkerSet with one replica replaces that replica in place.",
  source: "sigs.k8s.io/lws webhook: maxUnavailable and maxSurge are not both 0",
  code: "conflict",
  *check(spec) {
    for (const { index, layout } of spec.layouts) {
      const { maxUnavailable = 1, maxSurge = 0 } = layout.role.rollout ?? {};
      if (maxUnavailable === 0 && maxSurge === 0)
        yield {
          path: ["roles", index, "rollout", "maxUnavailable"],
          given: "is 0, and maxSurge is 0",
          allowed: "at least 1, or maxSurge of at least 1",
          fix: "Raise one of them.",
        };
      if (maxSurge > 0 && layout.perReplica)
        yield {
          path: ["roles", index, "rollout", "maxSurge"],
          given: `is ${maxSurge}, and each replica of the role has its own LeaderWorkerSet`,
          allowed: "0, or workload perRole",
          fix: "Set workload to perRole, or remove maxSurge. For a service that is deployed already, perRole replaces its LeaderWorkerSets.",
        };
    }
  },
};

const podCountFits: Invariant<PartialSpec> = {
  id: "pod-count-fits",
  title: "replicas times nodeCount is at most 2147483647",
  why: "The LeaderWorkerSet webhook rejects more pods.",
  source: "sigs.k8s.io/lws webhook: replicas * size <= MaxInt32",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const pods = role.replicas * nodeCountOf(role);
      if (pods <= 2 ** 31 - 1) continue;
      yield {
        path: ["roles", index, "replicas"],
        given: `leads to ${pods} pods`,
        allowed: "at most 2147483647 pods",
        fix: "Lower replicas or nodeCount.",
      };
    }
  },
};

const multiNodeHasAccelerators: Invariant<PartialSpec> = {
  id: "multi-node-has-accelerators",
  title: "A multi-node role requests accelerators",
  why: "A group that requests no accelerators is scheduled on nodes without accelerators, and fails when it loads the model.",
  source: "InferenceService design, Story 3: 'each with 8 GPUs'",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      // The author of a custom group sets its commands, and also its devices.
      if (!isMultiNode(role) || role.multinode?.executor === "custom") continue;
      // A plugin may add accelerators; the plan repeats this check after the plugins have run.
      if (spec.roles[index]?.hasPlugins === true) continue;
      const { containers } = role.template.spec;
      if (containers.some((each) => asksForAccelerators(each, spec.accelerators))) continue;
      yield {
        path: ["roles", index, "template", "spec", "containers"],
        ...noAccelerators(containers, nodeCountOf(role)),
      };
    }
  },
};

const resourcesOf = ({ resources = {} }: Container) =>
  Object.entries({ ...resources.limits, ...resources.requests });

/**
 * Reports whether a container requests accelerators. An amount that cannot be parsed counts, because another rule
 * reports it.
 */
const asksForAccelerators = (container: Container, named: readonly NamedAccelerator[]): boolean =>
  hasClaims(container) ||
  resourcesOf(container).some(
    ([resource, written]) => isDevice(resource, named) && parseQuantity(written)?.nanos !== 0n,
  );

/**
 * Returns the finding for the containers of a multi-node role without accelerators. Also used after plugins have run.
 */
export function noAccelerators(containers: readonly Container[], nodeCount: number) {
  const extended = containers
    .flatMap(resourcesOf)
    .map(([resource]) => resource)
    .find((resource) => resource.includes("/"));
  return {
    given:
      extended === undefined
        ? "request no accelerator"
        : `request ${extended}, which is not a known accelerator`,
    allowed: `accelerators in one container, as a resource or a claim, because nodeCount is ${nodeCount}`,
    fix:
      extended === undefined
        ? 'Add resources.limits such as "nvidia.com/gpu": "8", add a plugin that sets them, or set multinode.executor to custom.'
        : `If this resource counts accelerators, add accelerators: [{ resource: "${extended}" }] to the service; otherwise request a resource that counts accelerators.`,
  };
}

const acceleratorsAreWhole: Invariant<PartialSpec> = {
  id: "accelerators-are-whole-and-limited",
  title: "Accelerators are whole numbers, and limits equal requests",
  why: "The API server rejects anything else, because devices cannot be shared or overcommitted.",
  source:
    "k8s.io/kubernetes pkg/apis/core/validation: extended resources are integers, limit equals request",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const pod = ["roles", index, "template", "spec"];
      for (const { container, path } of containersOf(role.template.spec, pod))
        yield* wrongAccelerators(
          container.resources ?? {},
          [...path, "resources"],
          spec.accelerators,
        );
    }
  },
};

const wellFormed = (spec: PartialSpec) => ({ roles: spec.roles.flatMap(({ role }) => role ?? []) });

const pairTransfers: Invariant<PartialSpec> = {
  ...pairTransfersBlocks,
  *check(service) {
    if (!isDisaggregated(service.roles) || transferIsPlanned(wellFormed(service))) return;
    const { roles } = wellFormed(service);
    const isPlannedByRouter = transferIsPlanned({
      roles: [...roles, { componentType: "router" } as (typeof roles)[number]],
    });
    for (const { index, role } of inferenceRoles(service)) {
      // A plugin may add the transfer.
      if (!isPairSide(role.componentType) || service.roles[index]?.hasPlugins === true) continue;
      const { spec } = role.template;
      const problem = missingTransfer(engineOf(spec), role.componentType, engineNameOfRole(role));
      if (problem === undefined) continue;
      const fix = isPlannedByRouter
        ? `Add a role with componentType router, so that the plan configures the transfer. Or ${problem.fix.charAt(0).toLowerCase()}${problem.fix.slice(1)}`
        : problem.fix;
      yield { path: argumentsPath(index, spec), ...problem, fix };
    }
  },
};

export const roleRules: ReadonlyArray<Invariant<PartialSpec>> = [
  serviceHasInferenceRole,
  prefillersAndDecodersPair,
  pairScalesTogether,
  minReplicasWithinReplicas,
  rolloutReplacesReplicas,
  podCountFits,
  multiNodeHasAccelerators,
  acceleratorsAreWhole,
  ...engineStartRules,
  pairTransfers,
  pairTensorSizesDivide,
];
