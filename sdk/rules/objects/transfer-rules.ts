import { podResources } from "../../engines/accelerators/pod-resources.ts";
import { environmentOf, scriptSets } from "../../engines/command-line/environment.ts";
import { loadedModel } from "../../engines/containers/served-models.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import {
  acceleratorsOfPods,
  containersOf,
  engineOfPods,
  type PodTemplateUse,
} from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import { missingTransfer, pairSideOf } from "../spec/kv-transfer.ts";

/** Rules on the network between engines that transfer KV cache blocks. */

const { stackRule } = rulesOfPack("inference-gpu");

/** Returns the engine of pods, if its arguments configure a transfer. */
function transferringEngine(pods: PodTemplateUse) {
  const engine = engineOfPods(pods);
  const name = engine && engineNameOf(engine.container);
  if (engine === undefined || name === undefined) return undefined;
  const args = argumentsOf(engine.container);
  if (args.isOpen || engines[name].transfer === undefined) return undefined;
  const isSet = (["prefiller", "decoder"] as const).some(
    (side) => missingTransfer(engine.container, side, name) === undefined,
  );
  return isSet ? { ...engine, args, name, model: loadedModel(engine.container) } : undefined;
}

/** Returns pods of other workloads that transfer blocks to or from these pods, or may. */
function peersOf(pods: PodTemplateUse, stack: Stack): PodTemplateUse[] {
  const own = transferringEngine(pods);
  if (own === undefined) return [];
  const side = pairSideOf(pods.labels);
  return stack.workloads.flatMap((workload) => {
    const [leader] = workload.pods;
    if (leader === undefined || workload === pods.workload) return [];
    if (workload.namespace !== pods.workload.namespace) return [];
    if (side !== undefined && pairSideOf(leader.labels) === side) return [];
    const its = transferringEngine(leader);
    return its?.name === own.name && its.model === own.model ? [leader] : [];
  });
}

const sideChannelHasAnAddress = stackRule(
  { id: "transfers-have-an-address", code: "reference", level: "advisory" },
  {
    title: "An engine that sends KV cache blocks to other pods advertises its pod's address",
    why: "Decoders connect to the address that the prefiller sends. The default of vLLM's NixlConnector is localhost, so a decoder of another pod connects to itself, and no transfer succeeds.",
    source: "vLLM, NixlConnector usage guide: VLLM_NIXL_SIDE_CHANNEL_HOST",
    fix: "Set the variable from status.podIP with valueFrom.fieldRef.",
  },
  eachPodTemplate,
  function* (pods, { stack }) {
    const engine = pods.isWorker ? undefined : transferringEngine(pods);
    if (engine === undefined) return;
    const sideChannel = engines[engine.name].transfer?.sideChannel(engine.args);
    if (!sideChannel?.isSent || isSet(engine.container, sideChannel.host)) return;
    // Engines of one pod reach one another at localhost.
    if (containersOf(pods).filter((each) => engineNameOf(each.container)).length > 1) return;
    const [peer] = peersOf(pods, stack);
    if (peer === undefined) return;
    yield {
      path: [...engine.path, "env"],
      given: `leaves ${sideChannel.host} at localhost, but ${peer.workload.object.manifest.kind} ${peer.workload.name} transfers blocks of the same model`,
      allowed: "the address of the pod, from status.podIP",
      fix: `Add ${sideChannel.host} with valueFrom: {fieldRef: {fieldPath: status.podIP}}.`,
    };
  },
);

/** Whether a container sets a variable, or may: by a source of variables, or in a script. */
function isSet(container: ContainerShape, variable: string): boolean {
  const { values, mayHaveMore } = environmentOf(container.env, Object(container).envFrom);
  return mayHaveMore || values.has(variable) || scriptSets(container, variable);
}

const efa = "vpc.amazonaws.com/efa";
/** Maximum number of GPUs in an AWS instance with EFA. */
const gpusOfInstance = 8;

const efaPairsAreApart = stackRule(
  { id: "efa-pairs-use-different-nodes", code: "conflict", level: "advisory" },
  {
    title: "Prefillers and decoders that transfer over EFA run on different nodes",
    why: "EFA devices of one instance do not connect to one another. On one node a transfer does not use EFA, or fails with EAGAIN.",
    source: "ai-dynamo/dynamo#7764 and #9521; llm-d/llm-d#1554",
    fix: "Add pod anti-affinity over kubernetes.io/hostname against the pods of the other side.",
  },
  eachPodTemplate,
  function* (pods, { stack }) {
    if (pods.isWorker || !mayShare(pods)) return;
    const gpus = acceleratorsOfPods(pods) ?? 0;
    const peer = peersOf(pods, stack).find(
      (each) =>
        Number(each.path[0]) > Number(pods.path[0]) &&
        mayShare(each) &&
        gpus + (acceleratorsOfPods(each) ?? 0) <= gpusOfInstance,
    );
    if (peer === undefined) return;
    yield {
      path: [...pods.path, "spec", "affinity"],
      given: `lets the pods share a node with ${peer.workload.object.manifest.kind} ${peer.workload.name}, to which EFA has no connection there`,
      allowed: "pods of prefillers and decoders on different nodes",
      fix: "Add podAntiAffinity over kubernetes.io/hostname against the pods of the other side.",
    };
  },
);

/** Whether pods use EFA, and no rule of theirs keeps other pods from their nodes. */
function mayShare({ spec }: PodTemplateUse): boolean {
  const { affinity, topologySpreadConstraints } = spec as {
    affinity?: Readonly<Record<string, unknown>>;
    topologySpreadConstraints?: readonly unknown[];
  };
  if (affinity?.podAntiAffinity !== undefined) return false;
  if ((topologySpreadConstraints ?? []).length > 0) return false;
  return (podResources(spec).get(efa)?.nanos ?? 0n) > 0n;
}

export const transferRules: readonly StackRule[] = [sideChannelHasAnAddress, efaPairsAreApart];
