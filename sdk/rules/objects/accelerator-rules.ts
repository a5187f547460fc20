import { acceleratorTypes, isPartOf } from "../../engines/accelerators/index.ts";
import { isDevice } from "../../engines/accelerators/pod-accelerators.ts";
import { selectedAccelerators } from "../../engines/start-up/template-accelerator.ts";
import {
  acceleratorsOfContainer,
  acceleratorsOfPods,
  containersOf,
} from "../../stack/workloads.ts";
import { wrongAccelerators } from "../helpers/accelerator-amounts.ts";
import {
  eachPodTemplate,
  eachWorkload,
  rulesOfPack,
  type StackRule,
} from "../helpers/stack-rule.ts";
import { excludesLeader } from "./group-rules.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const acceleratorsAreWhole = objectRule(
  { id: "gpu-limits-are-whole", guidelines: ["G01"], code: "count" },
  {
    title: "Accelerators are whole numbers, and limits equal requests",
    why: "The API server rejects anything else, because devices cannot be shared or overcommitted.",
    source:
      "k8s.io/kubernetes pkg/apis/core/validation: extended resources are integers, limit equals request",
    fix: "Set resources.limits to the number of devices, and set requests to the same number or remove them.",
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
    title: "Only one container of a pod requests accelerators",
    why: "An engine can only use the devices of its own container.",
    source: "InferenceService design, Story 3: 'each with 8 GPUs'; vLLM: one process group a pod",
    fix: "Request all accelerators of the pod in the engine's container.",
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
        given: `requests accelerators, and so does containers[${having[0]}]`,
        allowed: "accelerators in only one container of a pod",
        fix: "Request them all in the engine's container.",
      };
    }
  },
);

const groupHasEqualPods = objectRule(
  { id: "pods-of-a-group-have-equal-gpus", guidelines: ["G02"], code: "count" },
  {
    title: "Leader and workers have the same number of accelerators",
    why: "The engine distributes its ranks evenly over the pods. If one pod has fewer devices, the group never forms.",
    source: "vLLM, Ray and torch.distributed: ranks are numbered node by node",
    fix: "Request the same number of accelerators in leaderTemplate and workerTemplate.",
  },
  eachWorkload,
  function* ({ pods: [leader, worker], set }) {
    // Such a leader does not run a rank of the engine.
    if (leader === undefined || worker === undefined || excludesLeader(set)) return;
    const [of, as] = [acceleratorsOfPods(worker), acceleratorsOfPods(leader)];
    if (of === as || of === undefined || as === undefined) return;
    yield {
      path: [...worker.path, "spec", "containers"],
      given: `request ${of} accelerators, but the leader's containers request ${as}`,
      allowed: "the same number in both templates",
      fix: "Change one of the two templates.",
    };
  },
);

const labelsSelectOneAccelerator = objectRule(
  { id: "labels-select-one-accelerator", code: "conflict", level: "advisory" },
  {
    title: "The node selector and the node affinity of a pod select the same accelerator",
    why: "A node must match both. No node has two accelerators, so the pod stays Pending.",
    source: "Kubernetes, assigning pods to nodes: nodeSelector and nodeAffinity must both match",
    fix: "Select the accelerator in one of the two fields, or name the same one in both.",
  },
  eachPodTemplate,
  function* ({ spec, path }) {
    // The order of the keys in the template does not change the text.
    const [first, ...others] = selectedAccelerators(spec).toSorted();
    const other = others.find(
      (name) => first !== undefined && !isPartOf(name, first) && !isPartOf(first, name),
    );
    if (first === undefined || other === undefined) return;
    yield {
      path: [...path, "spec", "nodeSelector"],
      given: `and affinity select ${acceleratorTypes[first].title} and ${acceleratorTypes[other].title}, which no node has together`,
      allowed: "one accelerator",
      fix: "Correct one of the labels.",
    };
  },
);

export const acceleratorRules: readonly StackRule[] = [
  labelsSelectOneAccelerator,
  acceleratorsAreWhole,
  oneContainerHasThem,
  groupHasEqualPods,
];
