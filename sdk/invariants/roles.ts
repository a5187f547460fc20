import { parseQuantity } from "../../kubernetes/values/quantity.ts";
import type { Invariant } from "../invariant.ts";
import type { NamedAccelerator } from "../spec/accelerators.ts";
import { isDisaggregated } from "../spec/inference-service.ts";
import { type Container, isMultiNode, nodeCountOf } from "../spec/role.ts";
import { hasClaims, isDevice } from "../topology/accelerators.ts";
import { containersOf } from "../topology/containers.ts";
import { engineOf } from "../topology/engine-container.ts";
import { engineNameOfRole } from "../topology/executor.ts";
import { wrongAccelerators } from "./accelerator-amounts.ts";
import { argumentsPath } from "./arguments-path.ts";
import { engineStartRules } from "./engine-start.ts";
import { isPairSide, missingTransfer, pairTransfersBlocks } from "./kv-transfer.ts";
import { pairTensorSizesDivide } from "./pair-tensor-sizes.ts";
import { inferenceRoles, type PartialSpec } from "./partial-spec.ts";
import { transferIsPlanned } from "./planned-transfer.ts";

const pairing =
  "InferenceService design, Gang Scheduling Behavior: 'At least one prefill AND one decode replica'";

const serviceHasInferenceRole: Invariant<PartialSpec> = {
  id: "service-has-an-inference-role",
  title: "A service has a role that serves a model",
  why: "A router alone has a pool without pods.",
  source: "InferenceService design, Component Types",
  code: "reference",
  *check({ roles }) {
    if (roles.length === 0 || roles.some(({ componentType }) => componentType !== "router")) return;
    yield {
      path: ["roles"],
      given: "has only routers",
      allowed: "at least one worker, or a prefiller and a decoder",
      fix: "Add the role that serves the model.",
    };
  },
};

const prefillersAndDecodersPair: Invariant<PartialSpec> = {
  id: "prefillers-and-decoders-pair",
  title: "Prefillers and decoders come together",
  why: "A request needs both; half a pair serves nothing.",
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
      given: `is ${String(lonely.componentType)}, and no role is a ${missing}`,
      allowed: "prefillers and decoders together, or workers",
      fix: `Add a ${missing} role, or make this one a worker.`,
    };
  },
};

const pairScalesTogether: Invariant<PartialSpec> = {
  id: "pair-scales-to-zero-together",
  title: "Prefillers and decoders are scaled to zero together",
  why: "One side without the other holds GPUs and serves nothing.",
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
    for (const { index, role } of stopped) {
      yield {
        path: ["roles", index, "replicas"],
        given: `is 0 while the ${other} run`,
        allowed: `a ${role.componentType} needs at least 1, or both sides have 0`,
        fix: `Set it to 1 or more, or scale the ${other} to 0 as well.`,
      };
    }
  },
};

const minReplicasWithinReplicas: Invariant<PartialSpec> = {
  id: "min-replicas-within-replicas",
  title: "minReplicas is at most replicas",
  why: "A gang that waits for more replicas than there are never starts.",
  source: "volcano.sh gang plugin: a job with fewer sub-groups than minSubGroups is not valid",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const { minReplicas, replicas } = role;
      if (minReplicas === undefined || replicas === 0 || minReplicas <= replicas) continue;
      yield {
        path: ["roles", index, "minReplicas"],
        given: `is ${minReplicas}`,
        allowed: `at most replicas, which is ${replicas}`,
        fix: "Lower minReplicas or raise replicas.",
      };
    }
  },
};

const podCountFits: Invariant<PartialSpec> = {
  id: "pod-count-fits",
  title: "replicas times nodeCount fits 32 bits",
  why: "The LeaderWorkerSet webhook refuses more.",
  source: "sigs.k8s.io/lws webhook: replicas * size <= MaxInt32",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      const pods = role.replicas * nodeCountOf(role);
      if (pods <= 2 ** 31 - 1) continue;
      yield {
        path: ["roles", index, "replicas"],
        given: `makes ${pods} pods`,
        allowed: "at most 2147483647",
        fix: "Lower replicas or nodeCount.",
      };
    }
  },
};

const multiNodeHasAccelerators: Invariant<PartialSpec> = {
  id: "multi-node-has-accelerators",
  title: "A multi-node role asks for accelerators",
  why: "Without devices the group starts on nodes that have none, and fails when it loads the model.",
  source: "InferenceService design, Story 3: 'each with 8 GPUs'",
  code: "count",
  *check(spec) {
    for (const { index, role } of inferenceRoles(spec)) {
      // The commands of a custom group are its author's, and so are its devices.
      if (!isMultiNode(role) || role.multinode?.executor === "custom") continue;
      // A plugin may add them; the plan looks again once it has.
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

/** An amount that cannot be read is another rule's. */
const asksForAccelerators = (container: Container, named: readonly NamedAccelerator[]): boolean =>
  hasClaims(container) ||
  resourcesOf(container).some(
    ([resource, written]) => isDevice(resource, named) && parseQuantity(written)?.nanos !== 0n,
  );

/** The finding for the containers of a multi-node role without accelerators; plugins may have been meant to add some. */
export function noAccelerators(containers: readonly Container[], nodeCount: number) {
  const extended = containers
    .flatMap(resourcesOf)
    .map(([resource]) => resource)
    .find((resource) => resource.includes("/"));
  return {
    given:
      extended === undefined
        ? "ask for no accelerator"
        : `ask for ${extended}, which is not known as an accelerator`,
    allowed: `accelerators in one container, by a resource or a claim, since nodeCount is ${nodeCount}`,
    fix:
      extended === undefined
        ? 'Add resources.limits, for example "nvidia.com/gpu": "8", or a plugin that does, or set multinode.executor: custom.'
        : `Add accelerators: [{ resource: "${extended}" }] to the service if it counts devices, or ask for a resource that does.`,
  };
}

const acceleratorsAreWhole: Invariant<PartialSpec> = {
  id: "accelerators-are-whole-and-limited",
  title: "Accelerators are whole numbers, and limits equal requests",
  why: "The API server refuses anything else: a device cannot be shared or overcommitted.",
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
    for (const { index, role } of inferenceRoles(service)) {
      // A plugin may add them.
      if (!isPairSide(role.componentType) || service.roles[index]?.hasPlugins === true) continue;
      const { spec } = role.template;
      const problem = missingTransfer(engineOf(spec), role.componentType, engineNameOfRole(role));
      if (problem === undefined) continue;
      yield { path: argumentsPath(index, spec), ...problem };
    }
  },
};

export const roleRules: ReadonlyArray<Invariant<PartialSpec>> = [
  serviceHasInferenceRole,
  prefillersAndDecodersPair,
  pairScalesTogether,
  minReplicasWithinReplicas,
  podCountFits,
  multiNodeHasAccelerators,
  acceleratorsAreWhole,
  ...engineStartRules,
  pairTransfers,
  pairTensorSizesDivide,
];
