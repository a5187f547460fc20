import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { output, service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../inference-service.ts";
import { workloads } from "../planned.fixture.ts";

const multinode = { nodeCount: 2 };

describe("pods of a multi-node replica", () => {
  const probes = {
    livenessProbe: { httpGet: { path: "/health", port: "http" } },
    startupProbe: { tcpSocket: { port: 8000 } },
    readinessProbe: { exec: { command: ["true"] } },
  };
  const engineOf = (plan: Manifest[], template: "leaderTemplate" | "workerTemplate", at = 0) =>
    workloads(plan)[0]?.spec.leaderWorkerTemplate[template]?.spec.containers[at];
  const ports = [
    { name: "http", containerPort: 8000 },
    { name: "metrics", containerPort: 9400 },
  ];

  it("only the leader has network probes and the serving port", () => {
    const plan = planInferenceService(
      service([worker({ multinode, template: vllmTemplate(8, { ports, ...probes }) })]),
    );
    expect(engineOf(plan, "leaderTemplate")).toMatchObject({
      ...probes,
      ports: [...ports, { name: "ray-head", containerPort: 6379 }],
    });
    const engine = engineOf(plan, "workerTemplate");
    expect(engine).toMatchObject({
      readinessProbe: probes.readinessProbe,
      ports: [{ name: "metrics", containerPort: 9400 }],
    });
    expect(engine).not.toHaveProperty("livenessProbe");
    expect(engine).not.toHaveProperty("startupProbe");
  });

  it("a leader is ready when the engine's health check succeeds", () => {
    const plan = planInferenceService(service([worker({ multinode })]));
    expect(engineOf(plan, "leaderTemplate")?.readinessProbe).toMatchObject({
      httpGet: { path: "/health", port: 8000 },
    });
    expect(engineOf(plan, "workerTemplate")).not.toHaveProperty("readinessProbe");
  });

  it("the first container with a GPU is the engine", () => {
    const sidecar = {
      name: "proxy",
      image: "proxy",
      readinessProbe: { httpGet: { path: "/", port: 1 } },
    };
    const { spec } = vllmTemplate();
    const template = { spec: { containers: [sidecar, ...spec.containers] } };
    const plan = planInferenceService(service([worker({ multinode, template })]));
    expect(engineOf(plan, "leaderTemplate", 0)).toEqual(sidecar);
    expect(engineOf(plan, "workerTemplate", 0)).toEqual(sidecar);
    expect(engineOf(plan, "workerTemplate", 1)).toMatchObject({ command: ["/bin/sh", "-c"] });
  });

  it("executor mp adds each pod's rank without a shell", () => {
    const plan = planInferenceService(
      service([worker({ multinode: { nodeCount: 4, executor: "mp" } })]),
    );
    const group = [
      "--model",
      "m",
      "--distributed-executor-backend",
      "mp",
      "--nnodes",
      "4",
      "--master-addr",
      "$(LWS_LEADER_ADDRESS)",
      "--master-port",
      "29500",
    ];
    expect(engineOf(plan, "leaderTemplate")).toMatchObject({
      args: [...group, "--node-rank", "0"],
    });
    expect(engineOf(plan, "workerTemplate")).toMatchObject({
      args: [...group, "--node-rank", "$(LWS_WORKER_INDEX)", "--headless"],
    });
    expect(engineOf(plan, "leaderTemplate")).not.toHaveProperty("command");
  });

  it("executor custom runs the command of the template on every pod", () => {
    const own = { command: ["/bin/sh", "-c", "start $LWS_WORKER_INDEX"], args: [] };
    const plan = planInferenceService(
      service([
        worker({ multinode: { nodeCount: 2, executor: "custom" }, template: vllmTemplate(8, own) }),
      ]),
    );
    expect(engineOf(plan, "leaderTemplate")).toMatchObject({
      ...own,
      readinessProbe: { tcpSocket: { port: 8000 } },
    });
    expect(engineOf(plan, "workerTemplate")).toMatchObject(own);
  });

  it("distinctNodes puts the pods of a replica on different nodes and keeps the user's affinity", () => {
    const mine = {
      nodeAffinity: {},
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "rack" }],
      },
    };
    const template = { spec: { ...vllmTemplate().spec, affinity: mine } };
    const plan = planInferenceService(
      service([worker({ multinode: { nodeCount: 2, distinctNodes: true }, template })]),
    );
    expect(workloads(plan)[0]?.spec.leaderWorkerTemplate.workerTemplate.spec.affinity).toEqual({
      nodeAffinity: {},
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "rack" },
          {
            labelSelector: {
              matchLabels: {
                "fusioninfer.io/service": "svc",
                "fusioninfer.io/role-name": "inference",
              },
            },
            matchLabelKeys: ["leaderworkerset.sigs.k8s.io/group-key"],
            topologyKey: "kubernetes.io/hostname",
          },
        ],
      },
    });
  });

  it("quantities are canonical and all other fields are as written", () => {
    const resources = { limits: { "nvidia.com/gpu": 8, cpu: "1000m", memory: output() } };
    const divided = (divisor: string) => [
      { name: "CPUS", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor } } },
    ];
    const { spec } = vllmTemplate(8, { resources, env: divided("1000m") });
    const volumes = [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "1024Mi" } }];
    const template = { spec: { ...spec, volumes, overhead: { memory: 1024 } } };
    const plan = planInferenceService(service([worker({ template })]));
    const planned = workloads(plan)[0]?.spec.leaderWorkerTemplate.workerTemplate.spec;
    expect(planned).toEqual({
      containers: [
        {
          ...spec.containers[0],
          startupProbe: expect.anything(),
          readinessProbe: expect.anything(),
          env: divided("1"),
          resources: { limits: { "nvidia.com/gpu": "8", cpu: "1", memory: output() } },
        },
      ],
      volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } }],
      overhead: { memory: "1024" },
      automountServiceAccountToken: false,
    });
  });

  it.each([
    { serviceAccountName: "mine" },
    { serviceAccount: "mine" },
    { automountServiceAccountToken: true },
  ])("a template with %o keeps the token of its account", (account) => {
    const template = vllmTemplate();
    const spec = { ...template.spec, ...account };
    const plan = planInferenceService(service([worker({ template: { ...template, spec } })]));
    const planned = workloads(plan)[0]?.spec.leaderWorkerTemplate.workerTemplate.spec;
    expect(planned).toMatchObject(account);
    expect(planned?.automountServiceAccountToken).not.toBe(false);
  });

  it("a single pod has the template and metadata as written, without a token", () => {
    const template = {
      ...vllmTemplate(1, probes),
      metadata: { labels: { team: "ml" }, annotations: { note: "x" } },
    };
    const plan = planInferenceService(service([worker({ template })]));
    const { workerTemplate, leaderTemplate } = workloads(plan)[0]?.spec.leaderWorkerTemplate ?? {};
    expect(leaderTemplate).toBeUndefined();
    expect(workerTemplate?.spec).toEqual({
      ...template.spec,
      automountServiceAccountToken: false,
    });
    expect(workerTemplate?.metadata).toEqual({
      labels: {
        team: "ml",
        "fusioninfer.io/service": "svc",
        "fusioninfer.io/component-type": "worker",
        "fusioninfer.io/role-name": "inference",
      },
      annotations: { note: "x" },
    });
  });
});
