import {
  acceleratorsOfContainer,
  acceleratorsOfPods,
  containersOf,
} from "../../stack/workloads.ts";
import { isDevice } from "../../topology/accelerators.ts";
import { wrongAccelerators } from "../accelerator-amounts.ts";
import { eachPodTemplate, eachWorkload, rulesOfPack, type StackRule } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const acceleratorsAreWhole = objectRule(
  { id: "gpu-limits-are-whole", guidelines: ["G01"], code: "count" },
  {
    title: "Accelerators are whole numbers, and limits equal requests",
    why: "The API server refuses anything else: a device cannot be shared or overcommitted.",
    source:
      "k8s.io/kubernetes pkg/apis/core/validation: extended resources are integers, limit equals request",
    fix: "Write the number of devices in resources.limits, and leave requests out or equal to it.",
  },
  eachPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods))
      yield* wrongAccelerators(
        container.resources ?? {},
        [...path, "resources"],
        pods.workload.accelerators,
      );
  },
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      const { limits = {}, requests = {} } = container.resources ?? {};
      for (const resource of Object.keys(requests).filter((name) =>
        isDevice(name, pods.workload.accelerators),
      ))
        if (limits[resource] === undefined)
          yield { path: [...path, "resources", "limits", resource], value: requests[resource] };
    }
  },
);

const oneContainerHasThem = objectRule(
  { id: "one-container-has-the-gpus", guidelines: ["G02"], code: "count" },
  {
    title: "One container of a pod has its accelerators",
    why: "The engine's ranks are counted over the devices of one container.",
    source: "InferenceService design, Story 3: 'each with 8 GPUs'; vLLM: one process group a pod",
    fix: "Give all accelerators of the pod to the engine's container.",
  },
  eachPodTemplate,
  function* (pods) {
    const having = pods.spec.containers.flatMap((container, at) =>
      // Containers may share a claim.
      (acceleratorsOfContainer(pods, container) ?? 0) > 0 ? [at] : [],
    );
    for (const at of having.slice(1)) {
      yield {
        path: [...pods.path, "spec", "containers", at, "resources"],
        given: `asks for accelerators, as containers[${having[0]}] does`,
        allowed: "accelerators in one container of a pod",
        fix: "Give them all to the engine's container.",
      };
    }
  },
);

const groupHasEqualPods = objectRule(
  { id: "pods-of-a-group-have-equal-gpus", guidelines: ["G02"], code: "count" },
  {
    title: "Leader and workers have as many accelerators",
    why: "The engine lays its ranks out over pods that are alike; with fewer devices on one the group never forms.",
    source: "vLLM, Ray and torch.distributed: ranks are numbered node by node",
    fix: "Give leaderTemplate and workerTemplate the same number of accelerators.",
  },
  eachWorkload,
  function* ({ pods: [leader, worker] }) {
    if (leader === undefined || worker === undefined) return;
    const [of, as] = [acceleratorsOfPods(worker), acceleratorsOfPods(leader)];
    if (of === as || of === undefined || as === undefined) return;
    yield {
      path: [...worker.path, "spec", "containers"],
      given: `ask for ${of} accelerators, and those of the leader for ${as}`,
      allowed: "the same number in both",
      fix: "Change one of them.",
    };
  },
);

export const acceleratorRules: readonly StackRule[] = [
  acceleratorsAreWhole,
  oneContainerHasThem,
  groupHasEqualPods,
];
