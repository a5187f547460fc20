import { engineIndexOf, engineOf } from "../../engines/containers/engine-container.ts";
import { engineNameOf } from "../../engines/index.ts";
import type { Invariant } from "../../invariant.ts";
import { type InferenceService, inferenceRolesOf } from "../../spec/inference-service.ts";

/** Warnings about a whole service, with its metadata. */

type ServiceAdvice = Invariant<InferenceService>;

const queueLabel = "kueue.x-k8s.io/queue-name";

const kueueLeavesVolcano: ServiceAdvice = {
  id: "kueue-leaves-gangs-to-volcano",
  title: "Kueue does not queue a service whose gangs Volcano schedules",
  why: "The plan copies the label to the workloads and to the picker. Kueue then admits them one by one, while Volcano waits for the whole gang, and each may wait for the other forever.",
  source: "kubernetes-sigs/kueue#5251; kubernetes-sigs/lws#1032",
  code: "conflict",
  *check({ metadata, spec }) {
    const queue = metadata.labels?.[queueLabel];
    const { schedulerName = "volcano" } = spec.schedulingStrategy;
    if (queue === undefined || schedulerName === "default-scheduler") return;
    yield {
      path: ["metadata", "labels", queueLabel],
      given: `is ${JSON.stringify(queue)}, but ${schedulerName} schedules the pods`,
      allowed: `a queue of ${schedulerName}, which schedules the pods`,
      fix: "Remove the label and set schedulingStrategy.queue, or set schedulingStrategy.schedulerName to default-scheduler.",
    };
  },
};

/** Variables that let clients load adapters into one pod, and the one that finds adapters in a directory. */
const loads = "VLLM_ALLOW_RUNTIME_LORA_UPDATING";
const finds = "VLLM_LORA_RESOLVER_CACHE_DIR";

const adaptersReachEveryReplica: ServiceAdvice = {
  id: "adapters-reach-every-replica",
  title: "Adapters that are loaded at run time are in every replica",
  why: "A request to load an adapter reaches only one pod, and a pod that restarts loses its adapters. Requests for the adapter fail on the other pods.",
  source: "vLLM, dynamically serving LoRA adapters; vllm-project/vllm#12174",
  code: "conflict",
  *check({ spec }) {
    for (const role of inferenceRolesOf(spec)) {
      const engine = engineOf(role.template.spec);
      const env: unknown = engine.env;
      const variable = (name: string) =>
        Array.isArray(env) ? env.find((entry) => entry?.name === name)?.value : undefined;
      const isMany = role.replicas > 1 || (spec.autoscaling?.maxUnits ?? 1) > 1;
      const isOn = /^(1|true)$/i.test(String(variable(loads) ?? ""));
      if (!isMany || !isOn || engineNameOf(engine) === undefined || variable(finds) !== undefined)
        continue;
      const at = ["roles", spec.roles.indexOf(role)];
      yield {
        path:
          spec.model === undefined
            ? [...at, "template", "spec", "containers", engineIndexOf(role.template.spec), "env"]
            : [...(role.engine === undefined ? [] : at), "engine", "lora", "dynamic"],
        given: `let clients load adapters at run time into one of ${role.replicas > 1 ? role.replicas : "several"} replicas`,
        allowed: "adapters that every replica has, also after a restart",
        fix: "List the adapters in lora.adapters, set lora.directory to a volume that all pods mount, or load each adapter into every pod after every start.",
      };
    }
  },
};

export const wholeServiceAdvice: readonly ServiceAdvice[] = [
  kueueLeavesVolcano,
  adaptersReachEveryReplica,
];
