import { describe, expect, it } from "vitest";
import { formatProblem } from "../../sdk/errors.ts";
import { type Manifest, planInferenceService } from "../../sdk/index.ts";
import { stackRules } from "../../sdk/rules/objects/index.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { readDocuments, readStory } from "../../testing/repository.ts";

/** Stacks that others wrote, and run: no mandatory rule is broken that is not really broken. */

const broken = (objects: readonly object[]): string[] => {
  const stack = readStack(objects);
  return stackRules
    .filter(({ level }) => level === "mandatory")
    .flatMap((rule) =>
      rule
        .judge(stack)
        .findings.map((each) => `${rule.id}: ${formatProblem({ code: rule.code, ...each })}`),
    );
};

describe("the stories of the InferenceService design, planned", () => {
  it.each([1, 2, 3, 4])("story %i", (number) => {
    expect(broken(planInferenceService(readStory(number)))).toEqual([]);
  });
});

/** The design shows replica 0 of each role only. */
function withAllReplicas([gang, ...shown]: Manifest[]): Manifest[] {
  const tasks = Object.keys((gang?.spec as { minTaskMember?: object })?.minTaskMember ?? {});
  const sets = shown.flatMap((set) => {
    const { name } = set.metadata;
    const role = /-([a-z]+)-0$/.exec(name)?.[1];
    return tasks
      .filter((task) => role !== undefined && task.startsWith(`${role}-`))
      .map((task) => {
        const text = JSON.stringify(set)
          .replaceAll(name, name.replace(/[a-z]+-0$/, task))
          .replaceAll(`"${role}-0"`, `"${task}"`);
        return JSON.parse(text) as Manifest;
      });
  });
  return gang ? [gang, ...sets] : [];
}

describe("the objects that the InferenceService design shows", () => {
  const shown = (name: string) => readDocuments<Manifest>(`test/fixtures/design/${name}.yaml`);

  it("a workload without a gang", () => {
    expect(broken(shown("example-1"))).toEqual([]);
  });

  it("a gang of prefillers and decoders", () => {
    expect(broken(withAllReplicas(shown("pod-group-management")))).toEqual([]);
  });

  it("a gang over several nodes, whose leaders lack a readiness probe", () => {
    const findings = broken(withAllReplicas(shown("example-2")));
    expect(findings.map((text) => text.split(":")[0])).toEqual([
      "leaders-are-ready-when-serving",
      "leaders-are-ready-when-serving",
    ]);
  });
});

/** The shape of https://lws.sigs.k8s.io/docs/examples/vllm: two nodes of eight GPUs, without a gang. */
describe("the vLLM example of LeaderWorkerSet", () => {
  const container = (script: string) => ({
    name: "vllm",
    image: "docker.io/vllm/vllm-openai:latest",
    command: ["sh", "-c", script],
    resources: {
      limits: { "nvidia.com/gpu": "8", memory: "1124Gi", "ephemeral-storage": "800Gi" },
      requests: { cpu: 125, "ephemeral-storage": "800Gi" },
    },
    volumeMounts: [{ mountPath: "/dev/shm", name: "dshm" }],
  });
  const volumes = [{ name: "dshm", emptyDir: { medium: "Memory", sizeLimit: "15Gi" } }];
  const start = "bash /vllm-workspace/examples/online_serving/multi-node-serving.sh";
  const serve =
    "python3 -m vllm.entrypoints.openai.api_server --port 8080 --model m --tensor-parallel-size 8 --pipeline_parallel_size 2";
  const set = {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: { name: "vllm" },
    spec: {
      replicas: 2,
      leaderWorkerTemplate: {
        size: 2,
        restartPolicy: "RecreateGroupOnPodRestart",
        leaderTemplate: {
          metadata: { labels: { role: "leader" } },
          spec: {
            containers: [
              {
                ...container(`${start} leader --ray_cluster_size=$(LWS_GROUP_SIZE); ${serve}`),
                ports: [{ containerPort: 8080 }],
                readinessProbe: {
                  tcpSocket: { port: 8080 },
                  ...{ initialDelaySeconds: 15, periodSeconds: 10 },
                },
              },
            ],
            volumes,
          },
        },
        workerTemplate: {
          spec: {
            containers: [container(`${start} worker --ray_address=$(LWS_LEADER_ADDRESS)`)],
            volumes,
          },
        },
      },
    },
  };

  it("breaks no mandatory rule", () => {
    expect(broken([set])).toEqual([]);
  });

  it("breaks parallelism-fits-the-gpus with twice the tensor parallel size", () => {
    const text = JSON.stringify(set).replace(
      "--tensor-parallel-size 8",
      "--tensor-parallel-size 16",
    );
    expect(broken([JSON.parse(text)])).toEqual([
      expect.stringMatching(/^parallelism-fits-the-gpus: .*set parallel sizes for 32 accelerators/),
    ]);
  });
});
