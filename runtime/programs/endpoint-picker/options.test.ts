import { describe, expect, it } from "vitest";
import { planInferenceService } from "../../../sdk/plan/inference-service.ts";
import { router, service, worker } from "../../../testing/samples/sample-service.ts";
import { maxReceiveBytes } from "../../epp/flags/serving.ts";
import { readCommandLine } from "../../manager/program.ts";
import { cipherList } from "../../manager/tls/go-names.ts";
import type { EndpointPickerOptions } from "./options.ts";
import { program } from "./program.ts";

function run(args: readonly string[], env: Record<string, string> = {}) {
  const invocation = readCommandLine(program, args, env);
  if (invocation.kind !== "run") throw new Error(JSON.stringify(invocation));
  return { ...invocation, options: invocation.options as EndpointPickerOptions };
}
const pool = "--pool-name=p";
const byDefault = run([pool]).options;

it("the defaults equal the defaults of the upstream picker", () => {
  expect(run([pool])).toEqual({
    kind: "run",
    warnings: [],
    options: {
      mode: "pool",
      pool: {
        kind: "pool",
        group: "inference.networking.k8s.io",
        namespace: "default",
        name: "p",
      },
      config: undefined,
      scheduling: {
        refreshMetricsIntervalMs: 50,
        staleAfterMs: 2_000,
        subsetFilter: true,
        emitEndpointScores: false,
        trustModelNameHeader: true,
        modelRewriteHeader: false,
        objectiveHeader: true,
        conformanceHeaders: false,
        engineFields: "strip",
        unparsedBodies: "reject",
        tenantsPerAddress: 128,
        explainHistorySize: 200,
        followResponses: false,
        servedEndpointHeader: true,
      },
      serving: {
        port: 9002,
        healthPort: 9003,
        healthOnPort: false,
        maxReceiveBytes: undefined,
        maxBodyBytes: 16 * 2 ** 20,
        maxBufferedBytes: undefined,
        drainTimeoutMs: 30_000,
        shutdownTimeoutMs: 600_000,
        requestTimeoutMs: 300_000,
        maxStreamAgeMs: 14_400_000,
        leaderElection: false,
      },
      tls: {
        secure: true,
        certificateDirectory: undefined,
        clientCaFile: undefined,
        reload: false,
        minVersion: undefined,
        cipherSuites: [],
      },
      operations: { healthPort: 9003, metricsPort: 9090, metricsAuth: true },
      pageTls: undefined,
      objectiveWindowMs: 300_000,
      tracing: undefined,
      verbosity: 2,
    },
  });
});

it("the arguments of a planned Deployment are accepted", () => {
  const [deployment] = planInferenceService(service([worker(), router()])).filter(
    ({ kind }) => kind === "Deployment",
  );
  const { args } = (
    deployment as unknown as {
      spec: { template: { spec: { containers: Array<{ args: string[] }> } } };
    }
  ).spec.template.spec.containers[0] as { args: string[] };
  expect(run(args, { NAMESPACE: "elsewhere" })).toMatchObject({
    warnings: [],
    options: {
      pool: { kind: "pool", namespace: "default" },
      config: { text: expect.stringContaining('"kind": "EndpointPickerConfig"') },
      // A6: clients cannot choose a pod with the headers of the conformance suite.
      scheduling: { conformanceHeaders: false },
      operations: { metricsAuth: true },
    },
  });
});

it("the limit of messages is 1 MiB above the largest body, or the given one", () => {
  const largest = (...args: string[]) => maxReceiveBytes(run([pool, ...args]).options.serving);
  expect(largest()).toBe(17 * 2 ** 20);
  expect(largest("--max-request-body-size=32MiB")).toBe(33 * 2 ** 20);
  expect(largest("--grpc-max-recv-msg-size=10MiB")).toBe(10 * 2 ** 20);
});

describe("pool selection", () => {
  it.each([
    [[pool], { NAMESPACE: "n" }, { kind: "pool", namespace: "n" }],
    [[pool], { NAMESPACE: "" }, { kind: "pool", namespace: "default" }],
    [[pool, "--pool-namespace=f"], { NAMESPACE: "n" }, { kind: "pool", namespace: "f" }],
    [[pool, "--pool-group=g"], {}, { kind: "pool", group: "g" }],
    [["--file-source=f.yaml"], {}, { kind: "file", file: "f.yaml", name: undefined }],
    [["--file-source=f.yaml", pool], {}, { kind: "file", file: "f.yaml", name: "p" }],
    [
      ["--endpoint-selector=app=vllm,env in (a,b)", "--endpoint-target-ports=3000,3001"],
      { POD_NAME: "my-epp-7d4b9-x2x4z" },
      {
        kind: "pods",
        name: "my-epp",
        selector: "app=vllm,env in (a,b)",
        targetPorts: [3_000, 3_001],
      },
    ],
  ])("the arguments %j with environment %j select the pool", (args, env, expected) => {
    expect(run(args, env as Record<string, string>).options.pool).toMatchObject(expected);
  });
});

it.each([
  ["--config-file=c.yaml", { config: { file: "c.yaml" } }],
  ["--config-text=kind: X", { config: { text: "kind: X" } }],
  ["--drain-timeout=1m30s", { serving: { drainTimeoutMs: 90_000 } }],
  ["--grpc-max-recv-msg-size=10MiB", { serving: { maxReceiveBytes: 10_485_760 } }],
  [
    "--max-request-body-size=32MiB",
    { serving: { maxBodyBytes: 33_554_432, maxReceiveBytes: undefined } },
  ],
  ["--max-buffered-body-size=1GiB", { serving: { maxBufferedBytes: 1_073_741_824 } }],
  ["--secure-serving=false", { tls: { secure: false } }],
  ["--tls-min-version=VersionTLS13", { tls: { minVersion: "TLSv1.3" } }],
  ["-v=5", { verbosity: 5 }],
  ["--zap-log-level=error", { verbosity: -1 }],
  ["--zap-log-level=3", { verbosity: 3 }],
  ["--disable-endpoint-subset-filter", { scheduling: { subsetFilter: false } }],
  ["--objective-window=30s", { objectiveWindowMs: 30_000 }],
  ["--model-rewrite-header", { scheduling: { modelRewriteHeader: true } }],
  ["--unparsed-bodies=allow", { scheduling: { unparsedBodies: "allow" } }],
  ["--tenants-per-address=0", { scheduling: { tenantsPerAddress: 0 } }],
  ["--trust-model-name-header=false", { scheduling: { trustModelNameHeader: false } }],
])("%s sets its option", (arg, expected) =>
  expect(run([pool, arg]).options).toMatchObject(expected),
);

describe("spans", () => {
  const endpoint = "http://collector:4317";
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  it.each<[args: string[], env: Record<string, string>, expected: object | undefined]>([
    [[`--otlp-endpoint=${endpoint}`], {}, { endpoint, sampleRatio: 0.1 }],
    [
      ["--otlp-endpoint=https://other", "--otlp-sample-ratio=1"],
      env,
      { endpoint: "https://other", sampleRatio: 1 },
    ],
    [
      [],
      { ...env, OTEL_TRACES_SAMPLER_ARG: "0.5", POD_NAME: "p" },
      { endpoint, sampleRatio: 0.5, resource: { "k8s.pod.name": "p" } },
    ],
    [["--tracing"], {}, { endpoint: "http://localhost:4317" }],
    [["--tracing=false"], env, undefined],
    [[], { ...env, OTEL_SDK_DISABLED: "true" }, undefined],
    [[], { ...env, OTEL_TRACES_EXPORTER: "none" }, undefined],
  ])("the arguments %j with environment %j set the receiver of spans", (args, env, expected) => {
    const { tracing } = run([pool, ...args], env).options;
    if (expected === undefined) expect(tracing).toBeUndefined();
    else expect(tracing).toMatchObject(expected);
  });
});

it("the suites of TLS 1.3 stay enabled", () => {
  const suites = "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256";
  expect(cipherList(run([pool, suites]).options.tls.cipherSuites)).toBe(
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256",
  );
});

it("the metrics of a pool from a file need no API server", () => {
  expect(run(["--file-source=f"]).options.operations.metricsAuth).toBe(false);
  expect(
    run(["--file-source=f", "--metrics-endpoint-auth=false"]).options.operations.metricsAuth,
  ).toBe(false);
});

describe("flags of the upstream picker that this picker does not need", () => {
  it.each(["--tracing=false", "--enable-pprof=false", "--enable-grpc-stream-metrics"])(
    "%s is accepted without a warning, because it requests the default",
    (arg) => expect(run([pool, arg])).toEqual({ kind: "run", warnings: [], options: byDefault }),
  );

  it.each([
    [
      "--refresh-prometheus-metrics-interval=1s",
      "--refresh-prometheus-metrics-interval has no effect: The pool's gauges are computed whenever /metrics is read.",
    ],
    ["--zap-encoder=console", "--zap-encoder has no effect: The log is always JSON."],
    ["--refresh-metrics-interval=10ms", "--refresh-metrics-interval is below 50ms: 50ms is used"],
  ])("%s is accepted with a warning", (arg, warning) =>
    expect(run([pool, arg])).toEqual({ kind: "run", warnings: [warning], options: byDefault }),
  );
});

it("--enable-cert-reload without a certificate gives a warning", () => {
  expect(run([pool, "--enable-cert-reload"]).warnings).toEqual([
    "--enable-cert-reload has no effect: without --cert-path there is nothing to reload",
  ]);
});

it("all problems of the flags are reported together", () => {
  expect(
    readCommandLine(
      program,
      [
        "--grpc-port=70000",
        "--lora-info-metric=x",
        "--config-file=a",
        "--config-text=b",
        "--metrics-client-ca-file=ca.pem",
        "--tls-min-version=1.2",
      ],
      {},
    ),
  ).toEqual({
    kind: "wrong",
    problems: [
      '--grpc-port: "70000" was given; give a whole number from 0 to 65535',
      '--lora-info-metric: "x" was given; give the metric in engineConfigs of the EndpointPickerConfig instead',
      '--tls-min-version: "1.2" was given; give one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13',
      "no pool: give --pool-name, --picker-service, --endpoint-selector, --import or --file-source",
      "--config-file and --config-text: give only one of them",
      "--metrics-client-ca-file: client certificates need TLS; give --metrics-cert-dir too",
    ],
  });
});

it.each([
  [
    [pool, "--endpoint-selector=a=b", "--endpoint-target-ports=1"],
    "--endpoint-selector: replaces a pool; leave out --pool-name and --file-source",
  ],
  [
    ["--endpoint-selector=a=b"],
    "--endpoint-target-ports: 0 ports; with --endpoint-selector give 1 to 8",
  ],
  [
    ["--endpoint-selector=a=b", "--endpoint-target-ports=1,2,3,4,5,6,7,8,9"],
    "--endpoint-target-ports: 9 ports; with --endpoint-selector give 1 to 8",
  ],
  [
    [pool, "--metrics-cert-dir=d", "--metrics-endpoint-auth=false"],
    "--metrics-cert-dir: TLS does not authenticate the reader; give --metrics-client-ca-file or --metrics-endpoint-auth",
  ],
  [
    ["--file-source=f", "--metrics-endpoint-auth"],
    "--metrics-endpoint-auth: needs the API server, but --file-source uses none; leave out one of them",
  ],
  [[pool, "--objective-window=10ms"], "--objective-window: too short for a P95; give 1s or more"],
  [
    ["--file-source=f", "--ha-enable-leader-election"],
    "--ha-enable-leader-election: needs the API server, but --file-source uses none; leave out one of them",
  ],
])("the arguments %j are rejected together", (args, problem) => {
  expect(readCommandLine(program, args, {})).toEqual({ kind: "wrong", problems: [problem] });
});

it("the help lists every flag", () => {
  const help = readCommandLine(program, ["--help"], {});
  expect(help).toMatchObject({
    kind: "help",
    text: expect.stringContaining("Usage: endpoint-picker"),
  });
  expect(help).toMatchObject({ text: expect.stringContaining("--grpc-port PORT (default 9002)") });
});
