/** Another project of the comparison in the README. */
export interface Project {
  readonly name: string;
  readonly url: string;
  /** Version of the documentation that the cells are from. */
  readonly version: string;
}

/** A claim about a project, with the page it is from. */
export interface Cell {
  readonly text: string;
  /** Pages that support the text. */
  readonly sources: readonly string[];
  /** Day on which the pages were read, `YYYY-MM-DD`. */
  readonly read: string;
}

export interface Row {
  readonly topic: string;
  readonly own: string;
  readonly others: Readonly<Record<ProjectName, Cell>>;
}

export type ProjectName = keyof typeof projects;

export const projects = {
  kserve: { name: "KServe", url: "https://kserve.github.io/website/", version: "0.20" },
  "llm-d": {
    name: "llm-d",
    url: "https://llm-d.ai",
    version: "0.8 to 0.10, and dev; 1.0 is newer",
  },
  dynamo: { name: "Dynamo", url: "https://github.com/ai-dynamo/dynamo", version: "1.6.2" },
  fusioninfer: {
    name: "FusionInfer",
    url: "https://github.com/fusioninfer/fusioninfer",
    version: "commit 0df046e",
  },
} as const satisfies Record<string, Project>;

const read = "2026-11-29";
const kserve = "https://kserve.github.io/website/docs/0.20";
const llmIsvc = `${kserve}/model-serving/generative-inference/llmisvc`;
const llmD = "https://llm-d.ai/docs";
const dynamo = "https://docs.nvidia.com/dynamo";
const fusionInfer = "https://github.com/fusioninfer/fusioninfer/blob/0df046e";

const cell = (text: string, ...sources: readonly string[]): Cell => ({ text, sources, read });

/** The comparison in the README. A cell without a page that supports it is `not checked`. */
export const rows: readonly Row[] = [
  {
    topic: "you write",
    own: "a TypeScript program",
    others: {
      kserve: cell("YAML of its kinds", `${llmIsvc}/llmisvc-configuration`),
      "llm-d": cell(
        "Kustomize overlays, and Helm values for the router",
        `${llmD}/0.7/proposals/modelservice`,
        `${llmD}/getting-started/artifacts`,
      ),
      dynamo: cell(
        "YAML of its kinds",
        `${dynamo}/latest/kubernetes/autoscaling.html`,
        `${dynamo}/latest/planner/sla_planner_quickstart.html`,
      ),
      fusioninfer: cell("YAML of its kind", `${fusionInfer}/README.md`),
    },
  },
  {
    topic: "in the cluster",
    own: "an endpoint picker per service; controllers for statuses, optional",
    others: {
      kserve: cell(
        "an operator; an endpoint picker per service with a scheduler",
        `${llmIsvc}/llmisvc-overview`,
      ),
      "llm-d": cell("an endpoint picker per pool", `${llmD}/getting-started/artifacts`),
      dynamo: cell(
        "an operator; its own frontend, or the Inference Gateway with its endpoint picker",
        `${dynamo}/kubernetes-deployment/request-routing/gateway-api-inference-extension/overview`,
      ),
      fusioninfer: cell("an operator; an endpoint picker per service", `${fusionInfer}/README.md`),
    },
  },
  {
    topic: "sizes of a model",
    own: "computed in the preview, from the model's configuration and the device's memory",
    others: {
      kserve: cell("you set them", `${llmIsvc}/llmisvc-configuration`),
      "llm-d": cell("measured configurations of its guides", `${llmD}/guide`),
      dynamo: cell(
        "found by its profiler in the cluster, from latency goals",
        `${dynamo}/latest/planner/sla_planner_quickstart.html`,
      ),
      fusioninfer: cell(
        "you set them",
        `${fusionInfer}/docs/fusioninfer/docs/user-guide/deployment.md`,
      ),
    },
  },
  {
    topic: "replicas over several nodes",
    own: "LeaderWorkerSet, Volcano",
    others: {
      kserve: cell("LeaderWorkerSet", `${llmIsvc}/llmisvc-dependencies`),
      "llm-d": cell(
        "LeaderWorkerSet",
        `${llmD}/0.8/well-lit-paths/foundations/wide-expert-parallelism`,
      ),
      dynamo: cell(
        "Grove with KAI Scheduler, or LeaderWorkerSet with Volcano",
        `${dynamo}/v1.6.2/kubernetes/installation/multinode-orchestration`,
      ),
      fusioninfer: cell("LeaderWorkerSet, Volcano", `${fusionInfer}/README.md`),
    },
  },
  {
    topic: "autoscaling",
    own: "KEDA or HPA by the picker's queue, also of prefiller-decoder units",
    others: {
      kserve: cell(
        "Workload Variant Autoscaler with HPA or KEDA; also KEDA, HPA or Knative for other services",
        `${llmIsvc}/autoscaling/llmisvc-autoscaling`,
        `${kserve}/model-serving/predictive-inference/autoscaling/keda-autoscaler`,
      ),
      "llm-d": cell(
        "KEDA by the picker's metrics; its Workload Variant Autoscaler is deprecated",
        `${llmD}/dev/operations/autoscaling`,
      ),
      dynamo: cell(
        "KEDA, HPA or its planner",
        `${dynamo}/latest/kubernetes/autoscaling.html`,
        `${dynamo}/v1.2.0/kubernetes-deployment/operate/autoscaling`,
      ),
      fusioninfer: cell(
        "none is documented",
        `${fusionInfer}/docs/fusioninfer/docs/design/core-design.md`,
      ),
    },
  },
  {
    topic: "engines",
    own: "vLLM, SGLang, TensorRT-LLM",
    others: {
      kserve: cell(
        "vLLM in its own runtime; other model servers by a ServingRuntime",
        `${kserve}/model-serving/generative-inference/overview`,
        `${kserve}/install/overview`,
      ),
      "llm-d": cell(
        "vLLM, SGLang",
        "https://llm-d.ai/blog/llm-d-v0.8-from-platform-to-control-plane",
      ),
      dynamo: cell(
        "vLLM, SGLang, TensorRT-LLM",
        `${dynamo}/v1.1.1/kubernetes-deployment/deployment-guide/autoscaling`,
      ),
      fusioninfer: cell("any pod template; its examples run vLLM", `${fusionInfer}/README.md`),
    },
  },
  {
    topic: "run in production",
    own: "not yet",
    others: {
      kserve: cell("yes", "https://kserve.github.io/website/docs/community/adopters"),
      "llm-d": cell(
        "yes",
        "https://llm-d.ai/blog/production-grade-llm-inference-at-scale-kserve-llm-d-vllm",
      ),
      dynamo: cell("not checked"),
      fusioninfer: cell("not checked"),
    },
  },
];
