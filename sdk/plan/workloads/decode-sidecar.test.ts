import { describe, expect, it } from "vitest";
import {
  decoder,
  output,
  pairTemplate,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../../testing/samples/sample-service.ts";
import { formatProblem, SpecError } from "../../errors.ts";
import { defaultSidecarImage } from "../../topology/runtime-image.ts";
import { planInferenceService } from "../inference-service.ts";
import { type Container, named, plan, podsOf, sidecarOf } from "./planned-pods.fixture.ts";

const decoderPod = (template: object, fields: object = {}) =>
  podsOf(
    plan(prefiller(), decoder({ template: template as never, ...fields }), router()),
    "svc-decode-0",
  ).worker;
const vllm = pairTemplate().spec.containers[0] as unknown as Container;

describe("a decoder behind a router, with prefillers", () => {
  const manifests = plan(prefiller(), decoder(), router({ image: "mine:1" }));
  const pod = podsOf(manifests, "svc-decode-0").worker;

  it("has the sidecar on the pool's port and its engine on another port", () => {
    expect(sidecarOf(pod)).toMatchObject({
      image: defaultSidecarImage,
      restartPolicy: "Always",
      args: [
        "pd-sidecar",
        "--port=8000",
        "--model-server-port=8200",
        "--kv-connector=nixlv2",
        "--secure-proxy=false",
        "--prefiller-selector=fusioninfer.io/service=svc,fusioninfer.io/component-type=prefiller,leaderworkerset.sigs.k8s.io/worker-index=0",
        "--prefiller-ports=8000",
      ],
      ports: [{ containerPort: 8000 }, { containerPort: 9013 }, { containerPort: 9093 }],
      readinessProbe: { httpGet: { path: "/health", port: 8000 } },
    });
    const [engine] = pod.containers;
    expect(engine.args?.slice(-2)).toEqual(["--port", "8200"]);
    expect(engine.ports).toEqual([{ name: "http", containerPort: 8200 }]);
    expect(engine.startupProbe?.httpGet?.port).toBe(8200);
    expect(named(manifests, "InferencePool", "svc-pool")?.spec).toMatchObject({
      targetPorts: [{ number: 8000 }],
    });
  });

  it("gives only the sidecar a token to read pods", () => {
    expect(pod).toMatchObject({
      serviceAccountName: "svc-pd-sidecar",
      automountServiceAccountToken: false,
    });
    expect(pod.volumes?.map(({ name }) => name)).toEqual(["pd-sidecar-token"]);
    expect(named(manifests, "Role", "svc-pd-sidecar")).toMatchObject({
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] }],
    });
    expect(named(manifests, "RoleBinding", "svc-pd-sidecar")?.subjects).toEqual([
      { kind: "ServiceAccount", name: "svc-pd-sidecar", namespace: "default" },
    ]);
  });

  it("sets the NIXL side channel in prefiller and decoder", () => {
    const prefill = podsOf(manifests, "svc-prefill-0").worker;
    for (const { env } of [pod.containers[0], prefill.containers[0]])
      expect(env).toEqual([
        {
          name: "VLLM_NIXL_SIDE_CHANNEL_HOST",
          valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
        },
        { name: "VLLM_NIXL_SIDE_CHANNEL_PORT", value: "5600" },
      ]);
    expect(sidecarOf(prefill)).toBeUndefined();
    expect(prefill.containers[0].args).toEqual(pairTemplate().spec.containers[0]?.args);
  });

  it("counts the sidecar's resources in the gang's minimum", () => {
    expect(named(manifests, "PodGroup", "svc")?.spec).toMatchObject({
      minResources: { cpu: "250m", memory: "256Mi" },
    });
  });
});

describe("explicit fields of a decoder's template", () => {
  it.each([
    [
      ["--port", "8000"],
      ["--port", "8200"],
    ],
    [
      ["--port=8000", "-x"],
      ["--port=8200", "-x"],
    ],
    [
      ["--port", "9000"],
      ["--port", "9000"],
    ],
  ])("an explicit port %j becomes %j", (given, becomes) => {
    const { args = [] } = vllm;
    const template = pairTemplate(8, { args: [...args, ...given] });
    const pod = decoderPod(template);
    expect(pod.containers[0].args).toEqual([...args, ...becomes]);
    const port = becomes.join(" ").match(/\d+/)?.[0];
    expect(sidecarOf(pod)?.args).toContain(`--model-server-port=${port}`);
  });

  it("the port is appended to the command if the template has no args", () => {
    const command = [
      "vllm",
      "serve",
      "m",
      "--kv-transfer-config",
      '{"kv_connector":"NixlConnector","kv_role":"kv_both"}',
    ];
    const [engine] = decoderPod(pairTemplate(8, { command, args: undefined })).containers;
    expect(engine.command).toEqual([...command, "--port", "8200"]);
  });

  it("explicit variables, accounts, secrets and volumes are kept", () => {
    const env = [
      { name: "VLLM_NIXL_SIDE_CHANNEL_HOST", value: "1.2.3.4" },
      { name: "VLLM_NIXL_SIDE_CHANNEL_PORT", value: "1" },
    ];
    const { spec } = pairTemplate(8, { env });
    const more = {
      serviceAccountName: "mine",
      imagePullSecrets: [{ name: "mine" }],
      initContainers: [{ name: "model", image: "m:1" }],
      volumes: [{ name: "shm", emptyDir: {} }],
    };
    const manifests = plan(
      prefiller(),
      decoder({ template: { spec: { ...spec, ...more } } as never }),
      router(),
    );
    const pod = podsOf(manifests, "svc-decode-0").worker;
    expect(pod.containers[0].env).toEqual(env);
    expect(pod).toMatchObject({
      serviceAccountName: "mine",
      imagePullSecrets: more.imagePullSecrets,
    });
    expect(pod).not.toHaveProperty("automountServiceAccountToken");
    expect(pod.initContainers?.map(({ name }) => name)).toEqual(["model", "pd-sidecar"]);
    expect(pod.volumes?.map(({ name }) => name)).toEqual(["shm", "pd-sidecar-token"]);
    expect(named(manifests, "RoleBinding", "svc-pd-sidecar")?.subjects).toContainEqual({
      kind: "ServiceAccount",
      name: "mine",
      namespace: "default",
    });
  });

  it.each([
    [
      "llm-d's sidecar",
      { name: "routing-proxy", image: "ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0" },
    ],
    [
      "another server on the pool's port",
      { name: "p", image: "p:1", ports: [{ containerPort: 8000 }] },
    ],
  ])("no second sidecar is planned for a template with %s", (_, own) => {
    const { args = [], ...rest } = vllm;
    const containers = [
      {
        ...rest,
        args: [...args, "--port", "8200"],
        ports: [{ name: "http", containerPort: 8000 }],
      },
      own,
    ];
    const pod = decoderPod({ spec: { containers } });
    expect(sidecarOf(pod)).toBeUndefined();
    expect(pod.containers.map(({ name }) => name)).toEqual(["vllm", own.name]);
    expect(pod).not.toHaveProperty("serviceAccountName");
  });

  it.each([
    ["an unknown engine", { image: "engine:1" }],
    ["a script", { command: ["sh", "-c"], args: ["vllm serve m --kv-transfer-config '{}'"] }],
  ])("a template whose port cannot be moved is refused: %s", (_, fields) => {
    const problems = (sidecar?: boolean) => {
      try {
        decoderPod(pairTemplate(8, fields), { sidecar });
        return [];
      } catch (error) {
        if (error instanceof SpecError) return error.problems.map(formatProblem);
        throw error;
      }
    };
    expect(problems()).toEqual([
      expect.stringMatching(/Add --port 8200, or set sidecar: false\.$/),
    ]);
    expect(problems(false)).toEqual([]);
  });

  it("the port is added after an argument that is known later", () => {
    const { args = [] } = vllm;
    const later = output();
    const [engine] = decoderPod(pairTemplate(8, { args: [...args, later] })).containers;
    expect(engine.args).toEqual([...args, later, "--port", "8200"]);
  });
});

it("only the leader of a multi-node decoder has the sidecar", () => {
  const multinode = { nodeCount: 2 };
  const { leader, worker: follower } = podsOf(
    plan(prefiller(), decoder({ multinode }), router()),
    "svc-decode-0",
  );
  expect(leader && sidecarOf(leader)).toBeDefined();
  expect(sidecarOf(follower)).toBeUndefined();
  expect(follower).not.toHaveProperty("serviceAccountName");
  expect(JSON.stringify(leader?.containers[0])).toContain("8200");
});

describe("templates of pods with GPUs", () => {
  const templates = (options: object, ofRouter: object = {}, ofDecoder: object = {}) =>
    planInferenceService(
      service([prefiller(), decoder(ofDecoder), router(ofRouter)]),
      options,
    ).flatMap(({ kind, spec }) =>
      kind === "LeaderWorkerSet"
        ? [(spec as { leaderWorkerTemplate: unknown }).leaderWorkerTemplate]
        : [],
    );
  const first = templates({});

  it.each([
    ["the library's default image changes", { runtimeImage: "library:2" }, {}],
    ["the router's image changes", {}, { image: "router:2" }],
    ["the router's resources change", {}, { resources: { requests: { cpu: "4" } } }],
  ])("do not change if %s", (_, options, fields) => {
    expect(templates(options, fields)).toEqual(first);
  });

  it("use the sidecar image of the role, or else of the stack", () => {
    const option = { sidecarImage: "stack:1" };
    const text = JSON.stringify(templates(option));
    expect(JSON.parse(text.replaceAll("stack:1", defaultSidecarImage))).toEqual(
      JSON.parse(JSON.stringify(first)),
    );
    const own = JSON.stringify(templates(option, {}, { sidecarImage: "role:1" }));
    expect(own).toContain("role:1");
    expect(own).not.toContain("stack:1");
  });

  it("use the tracing settings of their role, not of the router", () => {
    const tracing = { endpoint: "http://collector:4317", sampleRatio: 0.5 };
    expect(JSON.stringify(templates({}, { tracing }))).not.toContain("otlp");
    const told = JSON.stringify(templates({}, {}, { sidecarTracing: tracing }));
    expect(told).toContain('"--otlp-endpoint=http://collector:4317","--otlp-sample-ratio=0.5"');
  });

  it("contain exactly this sidecar: a change restarts GPU pods and belongs in the changelog", () => {
    const pod = podsOf(plan(prefiller(), decoder(), router()), "svc-decode-0").worker;
    expect(sidecarOf(pod)).toMatchInlineSnapshot(`
      {
        "args": [
          "pd-sidecar",
          "--port=8000",
          "--model-server-port=8200",
          "--kv-connector=nixlv2",
          "--secure-proxy=false",
          "--prefiller-selector=fusioninfer.io/service=svc,fusioninfer.io/component-type=prefiller,leaderworkerset.sigs.k8s.io/worker-index=0",
          "--prefiller-ports=8000",
        ],
        "env": [
          {
            "name": "NAMESPACE",
            "valueFrom": {
              "fieldRef": {
                "fieldPath": "metadata.namespace",
              },
            },
          },
          {
            "name": "POD_IP",
            "valueFrom": {
              "fieldRef": {
                "fieldPath": "status.podIP",
              },
            },
          },
          {
            "name": "NODE_OPTIONS",
            "value": "--max-old-space-size=512",
          },
        ],
        "image": "ghcr.io/pulumi-inference/pulumi-inference:0.1.0",
        "livenessProbe": {
          "grpc": {
            "port": 9013,
            "service": "liveness",
          },
          "initialDelaySeconds": 5,
          "periodSeconds": 10,
        },
        "name": "pd-sidecar",
        "ports": [
          {
            "containerPort": 8000,
            "name": "pd-serving",
            "protocol": "TCP",
          },
          {
            "containerPort": 9013,
            "name": "pd-health",
            "protocol": "TCP",
          },
          {
            "containerPort": 9093,
            "name": "pd-metrics",
            "protocol": "TCP",
          },
        ],
        "readinessProbe": {
          "failureThreshold": 6,
          "httpGet": {
            "path": "/health",
            "port": 8000,
          },
          "periodSeconds": 10,
          "timeoutSeconds": 5,
        },
        "resources": {
          "limits": {
            "memory": "1Gi",
          },
          "requests": {
            "cpu": "250m",
            "memory": "256Mi",
          },
        },
        "restartPolicy": "Always",
        "securityContext": {
          "allowPrivilegeEscalation": false,
          "capabilities": {
            "drop": [
              "ALL",
            ],
          },
          "readOnlyRootFilesystem": true,
          "runAsGroup": 65532,
          "runAsNonRoot": true,
          "runAsUser": 65532,
          "seccompProfile": {
            "type": "RuntimeDefault",
          },
        },
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [
          {
            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            "name": "pd-sidecar-token",
            "readOnly": true,
          },
        ],
      }
    `);
  });
});

it("the sidecar has the flags for SGLang and HTTPS", () => {
  const sglang = (mode: string) =>
    vllmTemplate(8, {
      image: "lmsysorg/sglang:v0.5.3",
      args: [
        "--model-path",
        "m",
        "--host",
        "0.0.0.0",
        "--disaggregation-mode",
        mode,
        "--ssl-certfile",
        "c",
      ],
    });
  const pod = podsOf(
    plan(
      prefiller({ template: sglang("prefill") }),
      decoder({ template: sglang("decode") }),
      router(),
    ),
    "svc-decode-0",
  ).worker;
  expect(sidecarOf(pod)?.args).toEqual(
    expect.arrayContaining([
      "--kv-connector=sglang",
      "--secure-proxy=true",
      "--enable-tls=prefiller,decoder",
    ]),
  );
});

describe("no sidecar is planned", () => {
  it.each([
    ["without a router", [prefiller(), decoder()]],
    ["without prefillers", [worker(), router()]],
    ["with sidecar: false", [prefiller(), decoder({ sidecar: false }), router()]],
  ])("%s", (_, roles) => {
    const manifests = plan(...roles);
    expect(JSON.stringify(manifests)).not.toContain("pd-sidecar");
    expect(JSON.stringify(manifests)).not.toContain("8200");
  });
});
