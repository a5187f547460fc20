import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { router, service, worker } from "../../../testing/samples/sample-service.ts";
import { formatProblem, SpecError } from "../../errors.ts";
import { ControllersSpec } from "../../spec/controllers.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import {
  clusterSetSpecKind,
  importedPoolSpecKind,
  inferencePoolSpecKind,
  llmServerPoolSpecKind,
  modelRouterSpecKind,
  sharedEndpointPickerSpecKind,
} from "../../validate/spec-kinds.ts";
import { planControllers } from "../controllers/controllers.ts";
import { planInferenceService } from "../inference-service.ts";
import { planModelRouter } from "../models/model-router.ts";
import { planClusterSet } from "../multi-cluster/cluster-set.ts";
import { planImportedPool } from "../multi-cluster/imported-pool.ts";
import { planSharedEndpointPicker } from "../picker/shared-picker.ts";
import { planLLMServerPool, planPool } from "../pools/pool.ts";
import { metricsAuthRules } from "./rbac-rules.ts";

type Fields = ProgramPods & { replicas?: number };

const metadata = { name: "llama", namespace: "ml" };
const metadataOfControllers = { ...metadata, labels: {}, annotations: {} };
const parentRefs = [{ name: "gateway" }];

/** Every program that this project deploys, by the Deployment's name. */
const programs: ReadonlyArray<[deployment: string, plan: (fields: Fields) => Manifest[]]> = [
  ["svc-epp", (fields) => planInferenceService(service([worker(), router(fields)]))],
  [
    "llama-epp",
    (endpointPicker) =>
      planPool(
        parseKind(inferencePoolSpecKind, {
          metadata,
          spec: { selector: { a: "b" }, endpointPicker },
        }),
      ),
  ],
  [
    "llama-epp",
    (endpointPicker) =>
      planLLMServerPool(
        parseKind(llmServerPoolSpecKind, {
          metadata,
          spec: { modelServerSelector: { a: "b" }, endpointPicker },
        }),
      ),
  ],
  [
    "llama-import-epp",
    (picker) =>
      planImportedPool(parseKind(importedPoolSpecKind, { metadata, spec: { parentRefs, picker } })),
  ],
  [
    "llama-import-epp",
    (globalPicker) =>
      planImportedPool(
        parseKind(importedPoolSpecKind, {
          metadata,
          spec: { parentRefs, gateway: { type: "llm-d-global-epp" }, globalPicker },
        }),
      ),
  ],
  [
    "inference-multi-cluster-controller",
    (fields) =>
      planClusterSet(
        parseKind(clusterSetSpecKind, {
          metadata,
          spec: { members: [{ name: "east", kubeconfigSecret: "east" }], ...fields },
        }),
      ),
  ],
  [
    "llama-epp",
    (fields) =>
      planSharedEndpointPicker(parseKind(sharedEndpointPickerSpecKind, { metadata, spec: fields })),
  ],
  [
    "llama-model-router",
    (fields) =>
      planModelRouter(
        parseKind(modelRouterSpecKind, { metadata, spec: { gateway: { name: "g" }, ...fields } }),
      ),
  ],
  [
    "inference-status-controller",
    (fields) =>
      planControllers({ metadata: metadataOfControllers, spec: ControllersSpec.parse(fields) }),
  ],
  [
    "inference-pod-plugin-webhook",
    (podPlugins) =>
      planControllers({
        metadata: metadataOfControllers,
        spec: ControllersSpec.parse({ podPlugins }),
      }),
  ],
];

interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: ReadonlyArray<{
    image: string;
    resources: object;
    args?: string[];
    env?: Array<{ name: string; value?: string }>;
  }>;
  readonly initContainers?: ReadonlyArray<{ resources: object }>;
}

const specOf = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)?.spec;
const podOf = (manifests: readonly Manifest[], name: string) =>
  (specOf(manifests, "Deployment", name) as { template: { spec: PodSpec } }).template.spec;

const defaults = {
  requests: { cpu: "250m", memory: "256Mi" },
  limits: { memory: "1Gi" },
};

describe.each(programs)("%s", (name, plan) => {
  it("requests memory and CPU by default, and spreads over nodes", () => {
    const pod = podOf(plan({ replicas: 1 }), name);
    for (const { resources } of [...pod.containers, ...(pod.initContainers ?? [])])
      expect(resources).toEqual(defaults);
    expect(pod).toMatchObject({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
      ],
    });
    expect(Object.keys(pod)).not.toContain("tolerations");
  });

  it("uses the given placement and resources", () => {
    const placement = {
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { pool: "system" },
      affinity: { nodeAffinity: {} },
      tolerations: [{ key: "system", operator: "Exists" }],
      topologySpreadConstraints: [],
      priorityClassName: "system-cluster-critical",
    };
    const resources = { requests: { cpu: 2, memory: "2048Mi" } };
    const pod = podOf(plan({ ...placement, resources }), name);
    expect(pod).toMatchObject(placement);
    expect(pod.containers[0]?.resources).toEqual({ requests: { cpu: "2", memory: "2Gi" } });
  });

  it("has a disruption budget if it has several pods or one is configured", () => {
    const budget = (fields: Fields) => specOf(plan(fields), "PodDisruptionBudget", name);
    const { selector } = specOf(plan({ replicas: 2 }), "Deployment", name) as { selector: object };
    expect(budget({ replicas: 1 })).toBeUndefined();
    expect(budget({ replicas: 2 })).toEqual({
      maxUnavailable: 1,
      selector,
      unhealthyPodEvictionPolicy: "AlwaysAllow",
    });
    const podDisruptionBudget = {
      minAvailable: "50%",
      unhealthyPodEvictionPolicy: "IfHealthyBudget",
    } as const;
    expect(budget({ replicas: 1, podDisruptionBudget })).toEqual({
      ...podDisruptionBudget,
      selector,
    });
  });

  it("authenticates readers of its pages, and has permission to do so", () => {
    const manifests = plan({});
    const { containers, serviceAccountName } = podOf(manifests, name);
    expect(containers[0]?.args).toContain("--metrics-endpoint-auth=true");
    const { namespace } = manifests.find(({ kind }) => kind === "Deployment")?.metadata ?? {};
    const subjects = [{ kind: "ServiceAccount", name: serviceAccountName, namespace }];
    const granted = manifests
      .filter(({ kind }) => kind === "ClusterRoleBinding")
      .filter((binding) => JSON.stringify(binding.subjects) === JSON.stringify(subjects))
      .flatMap(({ roleRef }) =>
        manifests.filter(
          ({ kind, metadata }) =>
            kind === "ClusterRole" && metadata.name === (roleRef as { name: string }).name,
        ),
      );
    expect(granted.flatMap(({ rules }) => rules)).toEqual(
      expect.arrayContaining(metricsAuthRules.map((rule) => expect.objectContaining(rule))),
    );
  });

  it("limits its heap to half of its memory limit", () => {
    const heapOf = (resources?: ProgramPods["resources"]) =>
      podOf(plan(resources === undefined ? {} : { resources }), name)
        .containers[0]?.env?.filter((variable) => variable.name === "NODE_OPTIONS")
        .map(({ value }) => value);
    // llm-d's picker does not run on Node.js.
    const heap = (mebibytes: number, youngHalf: number) =>
      podOf(plan({}), name).initContainers
        ? []
        : [`--max-old-space-size=${mebibytes} --max-semi-space-size=${youngHalf}`];
    expect(heapOf()).toEqual(heap(512, 16));
    expect(heapOf({ limits: { memory: "3G" } })).toEqual(heap(1430, 16));
    expect(heapOf({ limits: { memory: "640Mi" } })).toEqual(heap(320, 8));
    expect(heapOf({ limits: { memory: "400Mi" } })).toEqual(heap(200, 4));
    expect(heapOf({ limits: { cpu: 1 } })).toEqual([]);
  });

  it("has the same pod template at any scale", () => {
    expect(podOf(plan({ replicas: 1 }), name)).toEqual(podOf(plan({ replicas: 3 }), name));
  });
});

describe("a disruption budget", () => {
  const problemsOf = (podDisruptionBudget: object) => {
    try {
      planInferenceService(service([worker(), router({ podDisruptionBudget })]));
    } catch (error) {
      if (error instanceof SpecError) return error.problems.map(formatProblem);
    }
    return [];
  };

  it.each([
    [
      { minAvailable: 1, maxUnavailable: 1 },
      /podDisruptionBudget: .*minAvailable or maxUnavailable/,
    ],
    [{ maxUnavailable: "half" }, /maxUnavailable: is "half"; allowed: a whole number, or a share/],
    [{ maxUnavailable: -1 }, /maxUnavailable: is -1; allowed: a whole number/],
    [{ enabled: false }, /enabled: unknown field "enabled"; allowed: minAvailable, maxUnavailable/],
  ])("%j is refused", (budget, message) => {
    expect(problemsOf(budget)).toEqual([expect.stringMatching(message)]);
  });
});

it("the webhook defaults to the status controller's placement", () => {
  const plan = planControllers({
    metadata: metadataOfControllers,
    spec: ControllersSpec.parse({
      image: "mine:1",
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { pool: "system" },
      resources: { requests: { memory: "2Gi" } },
      podPlugins: { nodeSelector: { pool: "webhooks" } },
    }),
  });
  const webhook = podOf(plan, "inference-pod-plugin-webhook");
  expect(webhook).toMatchObject({
    imagePullSecrets: [{ name: "registry" }],
    nodeSelector: { pool: "webhooks" },
    containers: [{ image: "mine:1", resources: defaults }],
  });
});
