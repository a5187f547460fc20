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
import { formatPath } from "../../errors.ts";
import type { Container, PodTemplate } from "../../schemas/pod-template.ts";
import { planInferenceService } from "../inference-service.ts";

/** Effects of the engine's type on the plan: probes, groups and warnings. */

type Templates = { leaderTemplate?: PodTemplate; workerTemplate: PodTemplate };
type Planned = { spec: { leaderWorkerTemplate: Templates } };

function engines(fields: object, role: object = {}, others: Parameters<typeof service>[0] = []) {
  const input = service([worker({ template: vllmTemplate(8, fields), ...role }), ...others]);
  const plan = planInferenceService(input);
  const set = plan.find(({ kind }) => kind === "LeaderWorkerSet") as unknown as Planned;
  const templates = set.spec.leaderWorkerTemplate;
  const engineOf = (template?: PodTemplate) => template?.spec.containers[0] as Container;
  return { leader: engineOf(templates.leaderTemplate), worker: engineOf(templates.workerTemplate) };
}

const probesOf = ({ startupProbe, readinessProbe, livenessProbe }: Container) => ({
  startupProbe,
  readinessProbe,
  livenessProbe,
});

const readiness = { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 };
const startup = { ...readiness, failureThreshold: 360 };
const health = (port: number, more: object = {}) => ({
  httpGet: { path: "/health", port, ...more },
});
const both = (check: object) => ({
  startupProbe: { ...check, ...startup },
  readinessProbe: { ...check, ...readiness },
});
const sglang = ["python3", "-m", "sglang.launch_server"];
const args = (...more: unknown[]) => ({ args: ["--model", "m", ...more] });
const unnamed = [{ containerPort: 8000 }, { containerPort: 9000 }];

describe("probes of a single pod", () => {
  it.each<[what: string, fields: object, probes: object]>([
    ["check /health on the declared port of vLLM", {}, both(health(8000))],
    ["check the port in the engine's arguments", args("--port", "9001"), both(health(9001))],
    ["check vLLM's default port if none is set", { ports: [] }, both(health(8000))],
    [
      "check /health on SGLang's default port",
      { command: sglang, ...args("--host", "0.0.0.0"), ports: [] },
      both(health(30_000)),
    ],
    [
      "open a connection to an unknown engine",
      { image: "engine:1" },
      both({ tcpSocket: { port: 8000 } }),
    ],
    ["are not added if the port is unknown", { image: "engine:1", ports: [] }, {}],
    [
      "are not added for several unnamed ports of an unknown engine",
      { image: "engine:1", ports: unnamed },
      {},
    ],
    [
      "check the port of the command if several ports are unnamed",
      { ports: unnamed },
      both(health(8000)),
    ],
    [
      "use HTTPS if the engine does",
      args("--ssl-keyfile", "k"),
      both(health(8000, { scheme: "HTTPS" })),
    ],
    [
      "open a connection if clients need a certificate",
      args("--ssl-keyfile", "k", "--ssl-cert-reqs", "2"),
      both({ tcpSocket: { port: 8000 } }),
    ],
    ["are not added for a headless engine", args("--headless"), {}],
    ["check the declared port if arguments are Outputs", args(output()), both(health(8000))],
    ["are not added if an Output may set the port", { ...args(output()), ports: [] }, {}],
    [
      "keep a readiness probe and use its check for the startup probe",
      { readinessProbe: { httpGet: { path: "/ready", port: "http" } } },
      {
        startupProbe: { httpGet: { path: "/ready", port: "http" }, ...startup },
        readinessProbe: { httpGet: { path: "/ready", port: "http" } },
      },
    ],
    [
      "keep a startup probe and a liveness probe",
      { startupProbe: { exec: { command: ["x"] } }, livenessProbe: { tcpSocket: { port: 1 } } },
      {
        startupProbe: { exec: { command: ["x"] } },
        readinessProbe: { ...health(8000), ...readiness },
        livenessProbe: { tcpSocket: { port: 1 } },
      },
    ],
    [
      "add no startup probe if the readiness probe is not yet known",
      { readinessProbe: output() },
      { readinessProbe: output() },
    ],
  ])("%s", (_what, fields, probes) => {
    const none = { startupProbe: undefined, readinessProbe: undefined, livenessProbe: undefined };
    expect(probesOf(engines(fields).worker)).toEqual({ ...none, ...probes });
  });

  it("use the router's port if the template does not show one", () => {
    const fields = { image: "engine:1", ports: unnamed };
    const { worker: engine } = engines(fields, {}, [router({ targetPort: 9000 })]);
    expect(probesOf(engine)).toMatchObject(both({ tcpSocket: { port: 9000 } }));
  });

  it("do not depend on a GPU", () => {
    const { worker: engine } = engines({ resources: { requests: { cpu: "4" } } });
    expect(probesOf(engine)).toMatchObject(both(health(8000)));
  });
});

it("a leader has no startup probe, because its failure would restart the whole group", () => {
  const { leader, worker: other } = engines({}, { multinode: { nodeCount: 2 } });
  expect(probesOf(leader)).toEqual({ readinessProbe: { ...health(8000), ...readiness } });
  expect(probesOf(other)).toEqual({});
});

describe("SGLang on several nodes", () => {
  const fields = {
    command: sglang,
    args: ["--model-path", "m", "--tp", "16", "--host", "0.0.0.0"],
    ports: [{ name: "http", containerPort: 30_000 }],
  };
  const group = [
    "--dist-init-addr",
    "$(LWS_LEADER_ADDRESS):20000",
    "--nnodes",
    "2",
    "--node-rank",
    "$(LWS_WORKER_INDEX)",
  ];

  it.each([undefined, "sglang"])(
    "gets the arguments that form its group, with executor %s",
    (executor) => {
      const { leader, worker: other } = engines(fields, { multinode: { nodeCount: 2, executor } });
      for (const engine of [leader, other]) {
        expect(engine.command).toEqual(sglang);
        expect(engine.args).toEqual([...fields.args, ...group]);
      }
      expect(leader.ports).toEqual([
        ...fields.ports,
        { name: "dist-init", containerPort: 20_000, protocol: "TCP" },
      ]);
      expect(leader.readinessProbe).toEqual({ ...health(30_000), ...readiness });
      expect(other.ports).toBeUndefined();
    },
  );
});

describe("warnings of planInferenceService", () => {
  const advised = (...roles: Parameters<typeof service>[0]) => {
    const paths: string[] = [];
    planInferenceService(service(roles), {
      onAdvice: ({ path, given }) => paths.push(`${formatPath(path)} ${given}`),
    });
    return paths;
  };

  it("report decoders behind a router without a sidecar", () => {
    const sidecar = false;
    expect(advised(prefiller(), decoder({ sidecar }), router())).toEqual([
      expect.stringMatching(/^roles\[1\]\.template\.spec\.containers .*prefillers stay idle$/),
    ]);
    expect(advised(prefiller(), decoder(), router())).toEqual([]);
    const engine = pairTemplate().spec.containers;
    const proxy = { name: "routing-proxy", image: "s:1" };
    const template = { spec: { containers: [...engine, proxy] } };
    expect(advised(prefiller(), decoder({ template, sidecar }), router())).toEqual([]);
    expect(advised(prefiller(), decoder({ sidecar }))).toEqual([]);
  });

  it.each([
    [["--kv-transfer-config", '{"kv_connector":"PyNcclConnector","kv_role":"kv_both"}'], 1],
    [['--kv_transfer_config={"kv_connector": "PyNcclConnector", "kv_role": "kv_both"}'], 1],
    [
      [
        "--kv-transfer-config.kv_connector",
        "PyNcclConnector",
        "--kv-transfer-config.kv_role",
        "kv_both",
      ],
      1,
    ],
    [["--kv-transfer-config", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'], 0],
  ])("report a connector that engines do not have: %j", (transfer, count) => {
    const template = pairTemplate(8, args(...transfer));
    expect(advised(prefiller({ template }), decoder({ template }))).toHaveLength(2 * count);
  });

  it.each([
    [1, 8, "1", "set parallel sizes for 8 accelerators, but the replica has 1"],
    [2, 8, "8", "set parallel sizes for 8 accelerators, but the replica has 16"],
    [2, 16, "8", undefined],
  ])("compare the GPUs of %i pods with %i ranks", (nodeCount, ranks, gpus, words) => {
    const template = vllmTemplate(Number(gpus), args("--tensor-parallel-size", String(ranks)));
    const advice = advised(worker({ multinode: { nodeCount }, template }));
    expect(advice).toEqual(
      words === undefined ? [] : [`roles[0].template.spec.containers[0].args ${words}`],
    );
  });

  it("report prefillers with an unknown engine", () => {
    const template = vllmTemplate(8, { image: "engine:1" });
    expect(advised(prefiller({ template }), decoder())).toHaveLength(1);
  });
});
