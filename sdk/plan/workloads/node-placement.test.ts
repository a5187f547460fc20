import { describe, expect, it } from "vitest";
import { output, service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { selectedAccelerators } from "../../engines/start-up/template-accelerator.ts";
import { SpecError } from "../../errors.ts";
import type { PodSpec, PodTemplate } from "../../schemas/pod-template.ts";
import { planInferenceService } from "../inference-service.ts";

/** Nodes on which the pods of a service run. */

type Set = {
  spec: { leaderWorkerTemplate: { leaderTemplate?: PodTemplate; workerTemplate: PodTemplate } };
};

/** Plans a service with a template; `pod` adds fields to its pod. */
function pods(spec: object, pod: object = {}, role: object = {}): PodSpec[] {
  const template = { spec: { ...vllmTemplate(8).spec, ...pod } };
  const input = service([worker({ template, ...role })]);
  const plan = planInferenceService({ ...input, spec: { ...input.spec, ...spec } });
  return plan
    .filter(({ kind }) => kind === "LeaderWorkerSet")
    .flatMap((each) => {
      const { leaderTemplate, workerTemplate } = (each as unknown as Set).spec.leaderWorkerTemplate;
      return [...(leaderTemplate ? [leaderTemplate] : []), workerTemplate];
    })
    .map((each) => each.spec);
}

const l40s = { accelerator: "l40s" };
const product = "nvidia.com/gpu.product";
const zone = { key: "topology.kubernetes.io/zone", operator: "In", values: ["a"] };
const requiring = (...terms: object[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
    },
  },
});

type Terms = Array<{ matchExpressions: Array<{ key: string; values?: string[] }> }>;
const termsOf = (pod: PodSpec | undefined): Terms =>
  (
    pod?.affinity as
      | {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: Terms };
          };
        }
      | undefined
  )?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms ?? [];
const keysOf = (pod: PodSpec | undefined) =>
  termsOf(pod).map(({ matchExpressions }) => matchExpressions.map(({ key }) => key));
const taintsOf = (pod: PodSpec | undefined) =>
  ((pod?.tolerations ?? []) as Array<{ key: string }>).map(({ key }) => key);
const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof SpecError) return error.message;
    throw error;
  }
  return "";
};

describe("placement by accelerator", () => {
  it("pods run on nodes with any label of the accelerator, and tolerate the taints of GPU pools", () => {
    const [pod] = pods(l40s);
    expect(keysOf(pod)).toEqual([
      [product],
      ["karpenter.k8s.aws/instance-gpu-name"],
      ["eks.amazonaws.com/instance-gpu-name"],
      ["gpu.nvidia.com/model"],
      ["node.kubernetes.io/instance-type"],
    ]);
    expect(termsOf(pod)[0]?.matchExpressions[0]?.values).toEqual(["NVIDIA-L40S"]);
    expect(taintsOf(pod)).toEqual(["nvidia.com/gpu", "sku"]);
    expect(selectedAccelerators(pod as never)).toEqual(["l40s"]);
  });

  it("the leader and the workers of a group run on the same nodes", () => {
    const [leader, worker] = pods(l40s, {}, { multinode: { nodeCount: 2 }, replicas: 1 });
    expect(leader?.affinity).toEqual(worker?.affinity);
    expect(leader?.tolerations).toEqual(worker?.tolerations);
  });

  it("accelerator and nodes of a role replace the accelerator and nodes of the service", () => {
    const [pod] = pods(l40s, {}, { accelerator: "t4", nodes: { tolerations: [{ key: "t4" }] } });
    expect(selectedAccelerators(pod as never)).toEqual(["t4"]);
    expect(taintsOf(pod)).toEqual(["t4"]);
  });

  it.each<[what: string, spec: object, pod: object]>([
    ["no accelerator", {}, {}],
    ["nodes.any", { ...l40s, nodes: { any: true } }, {}],
    ["CPUs", { accelerator: "cpu" }, {}],
    [
      "a template that selects the accelerator",
      l40s,
      { nodeSelector: { [product]: "NVIDIA-L40S" } },
    ],
    [
      "a template that requires the accelerator",
      l40s,
      requiring({ matchExpressions: [{ key: product, operator: "In", values: ["NVIDIA-L40S"] }] }),
    ],
    ["an affinity that is known later", l40s, { affinity: { nodeAffinity: output() } }],
  ])("%s leaves the nodes as written", (_, spec, pod) => {
    const [planned] = pods(spec, pod);
    const { affinity, nodeSelector } = planned as PodSpec;
    expect({ affinity, nodeSelector }).toEqual({
      affinity: undefined,
      nodeSelector: undefined,
      ...pod,
    });
  });

  it("nodes.selector and nodes.tolerations replace labels and taints; the template wins", () => {
    const nodes = { selector: { pool: "gpu", tier: "a" }, tolerations: [{ key: "mine" }] };
    const [pod] = pods({ ...l40s, nodes }, { nodeSelector: { tier: "b" } });
    expect(pod).toMatchObject({ nodeSelector: { pool: "gpu", tier: "b" } });
    expect(pod?.affinity).toBeUndefined();
    expect(taintsOf(pod)).toEqual(["mine"]);
  });

  it("nodes apply without an accelerator, too", () => {
    const nodes = { selector: { pool: "gpu" }, tolerations: [{ key: "mine" }] };
    expect(pods({ nodes })[0]).toMatchObject({
      nodeSelector: { pool: "gpu" },
      tolerations: [{ key: "mine" }],
    });
  });

  it("each term of the template is combined with each label", () => {
    const fields = { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] };
    const [pod] = pods(l40s, requiring({ matchExpressions: [zone] }, fields));
    expect(keysOf(pod).filter(([first]) => first === zone.key)).toHaveLength(5);
    expect(termsOf(pod)).toHaveLength(10);
    expect(termsOf(pod)[5]).toMatchObject(fields);
  });

  it("a template's tolerations and preferences stay", () => {
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] };
    const pod = {
      tolerations: [{ key: "nvidia.com/gpu", operator: "Equal", value: "x" }],
      affinity: { nodeAffinity: preferred, podAffinity: {} },
    };
    const [planned] = pods(l40s, pod);
    expect(planned?.tolerations).toEqual([
      ...pod.tolerations,
      { key: "sku", operator: "Equal", value: "gpu", effect: "NoSchedule" },
    ]);
    expect(planned?.affinity).toMatchObject(pod.affinity);
    expect(termsOf(planned)).toHaveLength(5);
  });

  it("a secret selector or toleration changes only itself", () => {
    const [plain] = pods(l40s, { nodeSelector: { zone: "a" } });
    const [secret] = pods(l40s, { nodeSelector: { zone: output() } });
    expect(secret?.affinity).toEqual(plain?.affinity);
    expect(secret?.tolerations).toEqual(plain?.tolerations);
  });

  it("a planned template is planned unchanged", () => {
    const [once] = pods(l40s);
    const { containers: _, ...rest } = once as PodSpec;
    const [twice] = pods(l40s, rest);
    expect(twice?.affinity).toEqual(once?.affinity);
    expect(twice?.tolerations).toEqual(once?.tolerations);
  });

  it.each<[what: string, spec: object, pod: object, path: string]>([
    [
      "a template that selects another accelerator",
      l40s,
      { nodeSelector: { [product]: "Tesla-T4" } },
      "roles[0].template.spec: selects nodes with T4, but the accelerator is l40s",
    ],
    [
      "nodes of another accelerator",
      { ...l40s, nodes: { selector: { "cloud.google.com/gke-accelerator": "nvidia-l4" } } },
      {},
      "nodes.selector: selects nodes with L4, but the accelerator is l40s",
    ],
    [
      "any and selector",
      { ...l40s, nodes: { any: true, selector: { pool: "gpu" } } },
      {},
      "either any or selector",
    ],
    [
      "an empty selector",
      { ...l40s, nodes: { selector: {} } },
      {},
      "a selector with at least one label",
    ],
  ])("%s is refused", (_, spec, pod, text) => {
    expect(refusal(() => pods(spec, pod))).toContain(text);
  });

  it("a slice runs on nodes of its GPU", () => {
    const slice = { accelerator: "h100-sxm-3g.40gb" };
    const gke = { nodeSelector: { "cloud.google.com/gke-accelerator": "nvidia-h100-80gb" } };
    expect(refusal(() => pods(slice, gke))).toBe("");
    expect(selectedAccelerators(pods(slice)[0] as never)).toEqual(["h100-sxm-3g.40gb"]);
  });
});
