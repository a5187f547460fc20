import { roleLabel } from "../../../scheduling/label-keys.ts";
import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { hasDecodeSidecar, sidecarTarget } from "../../engines/containers/containers.ts";
import { loadedModel } from "../../engines/containers/served-models.ts";
import { flaggedPort } from "../../engines/containers/server.ts";
import { label } from "../../names.ts";
import { podsOfPool, poolsOf } from "../../stack/pools.ts";
import type { Stack } from "../../stack/stack.ts";
import { engineOfPods, type PodTemplateUse } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";
import { missingTransfer, pairSideOf, pairTransfersBlocks } from "../spec/kv-transfer.ts";
import { cacheDifferences, pairHasOneCache } from "../spec/pair-cache.ts";

const gang = rulesOfPack("inference-gang");
const supplyChain = rulesOfPack("inference-supply-chain");
const gpu = rulesOfPack("inference-gpu");
const routing = rulesOfPack("inference-routing");

/** Leader pods of the prefillers and decoders of one service. */
interface Pair {
  readonly service: string;
  /** Whether this project's labels name the sides. Pods with the role `decode` of llm-d may also serve alone. */
  readonly isOwn: boolean;
  readonly prefillers: PodTemplateUse[];
  readonly decoders: PodTemplateUse[];
}

function pairsOf(stack: Stack): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { pods, namespace } of stack.everyWorkload()) {
    const [leader] = pods;
    const side = leader && pairSideOf(leader.labels);
    if (leader === undefined || side === undefined) continue;
    const isOwn = leader.labels[label.componentType] !== undefined;
    const service = isOwn ? leader.labels[label.service] : poolOf(leader, stack);
    if (service === undefined) continue;
    const key = `${namespace}/${isOwn}/${service}`;
    const pair = pairs.get(key) ?? { service, isOwn, prefillers: [], decoders: [] };
    pair[side === "prefiller" ? "prefillers" : "decoders"].push(leader);
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

/** Returns the pool of pods; without a pool in the stack, their further labels of llm-d, which a pool selects. */
function poolOf(pods: PodTemplateUse, stack: Stack): string {
  const pool = poolsOf(stack).find((each) => podsOfPool(stack, each).includes(pods));
  if (pool !== undefined) return pool.name;
  const domain = roleLabel.replace(/\/.*/, "/");
  return Object.entries(pods.labels)
    .filter(([key]) => key.startsWith(domain) && key !== roleLabel)
    .map((pair) => pair.join("="))
    .sort()
    .join();
}

const running = (pods: readonly PodTemplateUse[]) =>
  pods.some(({ workload }) => workload.replicas > 0);

const bothSidesRun = gang.stackRule(
  { id: "prefill-and-decode-both-run", guidelines: ["G12"], code: "count" },
  {
    title: "Prefillers and decoders of a service run together or not at all",
    why: "A request needs both. One side alone holds GPUs and serves no requests.",
    source:
      "InferenceService design, Gang Scheduling Behavior: 'At least one prefill AND one decode replica'",
    fix: "Set replicas to 1 or more on both sides, or to 0 on both.",
  },
  wholeStack,
  function* (stack) {
    for (const { service, isOwn, prefillers, decoders } of pairsOf(stack)) {
      if (running(prefillers) === running(decoders)) continue;
      if (!isOwn && running(decoders)) continue;
      const [lonely, missing] = running(prefillers)
        ? [prefillers[0], "decoder"]
        : [decoders[0], "prefiller"];
      if (lonely === undefined) continue;
      yield {
        path: [lonely.workload.object.index, "spec", "replicas"],
        given: `is ${lonely.workload.replicas}, but service ${service} runs no ${missing}`,
        allowed: "replicas on both sides, or 0 on both",
        fix: `Add a ${missing}, or scale this side to 0.`,
      };
    }
  },
);

const pairHasOneImage = supplyChain.stackRule(
  { id: "pair-has-one-image", guidelines: ["G32"], code: "conflict", level: "advisory" },
  {
    title: "Prefillers and decoders of a service use the same image",
    why: "Two versions of an engine cannot read each other's KV cache blocks.",
    source: "Grove GREP-393: cross-version transfer is unsafe; vLLM KV connectors",
    fix: "Use the same image on both sides, and update both together.",
  },
  wholeStack,
  function* (stack) {
    for (const { prefillers, decoders } of pairsOf(stack)) {
      const image = prefillers.map((pods) => engineOfPods(pods)?.container.image)[0];
      for (const pods of [...prefillers, ...decoders]) {
        const engine = engineOfPods(pods);
        if (engine === undefined || image === undefined || engine.container.image === image)
          continue;
        yield {
          path: [...engine.path, "image"],
          given: `is ${engine.container.image ?? "missing"}`,
          allowed: `${image}, as on the prefillers`,
          fix: "Use the same image on both sides.",
        };
      }
    }
  },
);

const pairHasOneModel = gpu.stackRule(
  { id: "pair-has-one-model", guidelines: ["G33"], code: "conflict", level: "advisory" },
  {
    title: "Prefillers and decoders of a service use the same model name",
    why: "vLLM transfers blocks only between engines with the same version, model and cache settings, and it compares models by the text of --model. If one side has a name and the other a path to the same weights, every transfer fails and the decoders prefill.",
    source: "vLLM: compute_nixl_compatibility_hash in kv_connector/v1/nixl/metadata.py",
    fix: "Set the same --model on both sides, and mount the weights at the same path.",
  },
  wholeStack,
  function* (stack) {
    for (const { prefillers, decoders } of pairsOf(stack)) {
      const modelOf = (pods: PodTemplateUse) => {
        const engine = engineOfPods(pods);
        return engine && loadedModel(engine.container);
      };
      const [model] = prefillers.flatMap((pods) => modelOf(pods) ?? []);
      for (const pods of [...prefillers, ...decoders]) {
        const engine = engineOfPods(pods);
        const given = modelOf(pods);
        if (engine === undefined || model === undefined || given === undefined || given === model)
          continue;
        yield {
          path: [...engine.path, argumentsField(engine.container)],
          given: `load ${given}`,
          allowed: `${model}, as on the prefillers`,
          fix: "Set the same --model on both sides.",
        };
      }
    }
  },
);

const pairHasOneFormat = gpu.stackRule(
  { id: pairHasOneCache.id, guidelines: ["G33"], code: pairHasOneCache.code, level: "advisory" },
  {
    ...pairHasOneCache,
    fix: "Set the same data type, block size and connector on both sides.",
  },
  wholeStack,
  function* (stack) {
    for (const { prefillers, decoders } of pairsOf(stack)) {
      const [prefiller] = prefillers.flatMap((pods) => engineOfPods(pods) ?? []);
      for (const pods of decoders) {
        const engine = engineOfPods(pods);
        if (prefiller === undefined || engine === undefined) continue;
        const path = [...engine.path, argumentsField(engine.container)];
        for (const problem of cacheDifferences(prefiller.container, engine.container))
          yield { path, ...problem };
      }
    }
  },
);

const bothSidesTransfer = gpu.objectRule(
  { ...pairTransfersBlocks, guidelines: ["G33"] },
  {
    ...pairTransfersBlocks,
    fix: "Add --kv-transfer-config with a connector of the engine version to both sides (SGLang: --disaggregation-mode).",
  },
  eachPodTemplate,
  function* (pods) {
    const side = pairSideOf(pods.labels);
    const engine = pods.isWorker ? undefined : engineOfPods(pods);
    if (engine === undefined || side === undefined) return;
    // A decoder of llm-d may serve alone. If it has prefillers, another rule compares the connectors.
    if (side === "decoder" && pods.labels[label.componentType] === undefined) return;
    const problem = missingTransfer(engine.container, side);
    if (problem !== undefined)
      yield { path: [...engine.path, argumentsField(engine.container)], ...problem };
  },
);

const decodersAskPrefillers = routing.stackRule(
  { id: "routed-decoder-has-a-sidecar", code: "reference" },
  {
    title: "A decoder in a pool with prefillers has a decode sidecar",
    why: "The picker names the prefiller in a header that only the sidecar reads. Without a sidecar, decoders prefill by themselves and the prefillers stay idle.",
    source: "llm-d, disaggregated serving: routing sidecar; docs/prefill-decode.md",
    fix: "Remove sidecar: false from the decoder role, or add a sidecar to its template.",
  },
  { of: poolsOf, needsPods: false },
  function* (pool, { stack }) {
    const leaders = podsOfPool(stack, pool).filter(({ isWorker }) => !isWorker);
    const isSide = (side: string) => (pods: PodTemplateUse) => pairSideOf(pods.labels) === side;
    if (!leaders.some(isSide("prefiller"))) return;
    for (const pods of leaders.filter(isSide("decoder"))) {
      if (hasDecodeSidecar(pods.spec)) continue;
      yield {
        path: [...pods.path, "spec", "containers"],
        given: "contain no decode sidecar",
        allowed: "a decode sidecar in front of the engine",
        fix: "Add a sidecar that listens on the pool's port, and move the engine to another port.",
      };
    }
  },
);

const sidecarsReachTheirEngine = routing.objectRule(
  { id: "decode-sidecar-reaches-its-engine", code: "reference" },
  {
    title: "A decode sidecar forwards requests to the port of its engine",
    why: "On any other port nothing listens, so every request to the decoder fails.",
    source: "llm-d, disaggregated serving: routing sidecar, --vllm-port; docs/prefill-decode.md",
    fix: "Set the sidecar's --vllm-port (this project: --model-server-port) to the engine's --port.",
  },
  eachPodTemplate,
  function* (pods) {
    const target = sidecarTarget(pods.spec);
    const engine = pods.isWorker || target === undefined ? undefined : engineOfPods(pods);
    const served = engine && flaggedPort(engine.container);
    if (engine === undefined || served === undefined || served === target) return;
    yield {
      path: [...engine.path, argumentsField(engine.container)],
      given: `serve on port ${served}, but the decode sidecar forwards requests to port ${target}`,
      allowed: String(target),
      fix: "Change the port of the engine or of the sidecar.",
    };
  },
);

export const pairRules: readonly StackRule[] = [
  bothSidesRun,
  pairHasOneImage,
  pairHasOneModel,
  pairHasOneFormat,
  bothSidesTransfer,
  decodersAskPrefillers,
  sidecarsReachTheirEngine,
];
