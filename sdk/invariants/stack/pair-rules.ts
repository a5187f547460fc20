import { argumentsField } from "../../command-line/started-programs.ts";
import { loadedModel } from "../../engines/served-models.ts";
import { podsOfPool, poolsOf } from "../../stack/pools.ts";
import type { Stack } from "../../stack/stack.ts";
import { engineOfPods, type PodTemplateUse } from "../../stack/workloads.ts";
import { hasDecodeSidecar } from "../../topology/containers.ts";
import { label } from "../../topology/names.ts";
import { isPairSide, missingTransfer, pairTransfersBlocks } from "../kv-transfer.ts";
import { eachPodTemplate, rulesOfPack, type StackRule, wholeStack } from "./stack-rule.ts";

const gang = rulesOfPack("inference-gang");
const supplyChain = rulesOfPack("inference-supply-chain");
const gpu = rulesOfPack("inference-gpu");
const routing = rulesOfPack("inference-routing");

/** Leader pods of the prefillers and decoders of one service. */
interface Pair {
  readonly service: string;
  readonly prefillers: PodTemplateUse[];
  readonly decoders: PodTemplateUse[];
}

function pairsOf({ everyWorkload }: Stack): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const { pods, namespace } of everyWorkload()) {
    const [leader] = pods;
    const service = leader?.labels[label.service];
    const side = sides[leader?.labels[label.componentType] as keyof typeof sides];
    if (leader === undefined || service === undefined || side === undefined) continue;
    const key = `${namespace}/${service}`;
    const pair = pairs.get(key) ?? { service, prefillers: [], decoders: [] };
    pair[side].push(leader);
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

const sides = { prefiller: "prefillers", decoder: "decoders" } as const;

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
    for (const { service, prefillers, decoders } of pairsOf(stack)) {
      if (running(prefillers) === running(decoders)) continue;
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

const bothSidesTransfer = gpu.objectRule(
  { ...pairTransfersBlocks, guidelines: ["G33"] },
  {
    ...pairTransfersBlocks,
    fix: "Add --kv-transfer-config with a connector of the engine version to both sides (SGLang: --disaggregation-mode).",
  },
  eachPodTemplate,
  function* (pods) {
    const side = pods.labels[label.componentType];
    const engine = pods.isWorker ? undefined : engineOfPods(pods);
    if (engine === undefined || !isPairSide(side)) return;
    const problem = missingTransfer(engine.container, side);
    if (problem !== undefined)
      yield { path: [...engine.path, argumentsField(engine.container)], ...problem };
  },
);

const decodersAskPrefillers = routing.stackRule(
  { id: "routed-decoder-has-a-sidecar", guidelines: [], code: "reference" },
  {
    title: "A decoder in a pool with prefillers has a decode sidecar",
    why: "The picker names the prefiller in a header that only the sidecar reads. Without a sidecar, decoders prefill by themselves and the prefillers stay idle.",
    source: "llm-d, disaggregated serving: routing sidecar; docs/prefill-decode.md",
    fix: "Remove sidecar: false from the decoder role, or add a sidecar to its template.",
  },
  { of: poolsOf, needsPods: false },
  function* (pool, { stack }) {
    const leaders = podsOfPool(stack, pool).filter(({ isWorker }) => !isWorker);
    const isSide = (side: string) => (pods: PodTemplateUse) =>
      pods.labels[label.componentType] === side;
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

export const pairRules: readonly StackRule[] = [
  bothSidesRun,
  pairHasOneImage,
  pairHasOneModel,
  bothSidesTransfer,
  decodersAskPrefillers,
];
