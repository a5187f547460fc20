import { describe, expect, it } from "vitest";
import { formatPath } from "../errors.ts";
import { violations } from "../invariant.ts";
import { pluginMayChange } from "./allowed-changes.ts";
import type { HookPod } from "./hook-request.ts";
import { podChangeRules } from "./pod-change-rules.ts";

const template = (): HookPod =>
  ({
    metadata: { name: "p", namespace: "n", labels: { app: "m" }, annotations: {} },
    spec: {
      containers: [
        {
          name: "engine",
          image: "vllm:1",
          args: ["serve"],
          env: [{ name: "A", value: "1" }],
          securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false },
        },
      ],
      volumes: [{ name: "token", secret: { secretName: "hf" } }],
    },
  }) as unknown as HookPod;

// biome-ignore lint/suspicious/noExplicitAny: a hook writes what it likes.
type Free = any;

const refusals = (change: (pod: Free, engine: Free) => void, byEndpoint: boolean) => {
  const after = template();
  change(after, after.spec.containers[0]);
  return violations(podChangeRules, { before: template(), after, byEndpoint }).map(({ path }) =>
    formatPath(path),
  );
};

/** Finding B3 of the security review, and similar attacks. */
const attacks: ReadonlyArray<[what: string, path: string, (pod: Free, engine: Free) => void]> = [
  [
    "the host's files",
    "spec.volumes[1]",
    ({ spec }) => spec.volumes.push({ name: "h", hostPath: { path: "/" } }),
  ],
  [
    "a Secret as a volume",
    "spec.volumes[1]",
    ({ spec }) => spec.volumes.push({ name: "s", secret: { secretName: "db" } }),
  ],
  [
    "a projected Secret",
    "spec.volumes[1]",
    ({ spec }) => spec.volumes.push({ name: "s", projected: { sources: [] } }),
  ],
  [
    "a driver's volume",
    "spec.volumes[1]",
    ({ spec }) => spec.volumes.push({ name: "s", csi: { driver: "d" } }),
  ],
  [
    "another Secret in a volume of the template",
    "spec.volumes[0]",
    ({ spec }) => Object.assign(spec.volumes[0].secret, { secretName: "db" }),
  ],
  [
    "a volume of two types",
    "spec.volumes[1]",
    ({ spec }) => spec.volumes.push({ name: "x", emptyDir: {}, hostPath: { path: "/" } }),
  ],
  [
    "a Secret in a variable",
    "spec.containers[0].env[1]",
    (_, engine) =>
      engine.env.push({ name: "S", valueFrom: { secretKeyRef: { name: "db", key: "k" } } }),
  ],
  [
    "Secrets in all variables",
    "spec.containers[0].envFrom",
    (_, engine) => Object.assign(engine, { envFrom: [{ secretRef: { name: "db" } }] }),
  ],
  [
    "another ServiceAccount",
    "spec.serviceAccountName",
    ({ spec }) => Object.assign(spec, { serviceAccountName: "admin" }),
  ],
  [
    "another ServiceAccount, by its old name",
    "spec.serviceAccount",
    ({ spec }) => Object.assign(spec, { serviceAccount: "admin" }),
  ],
  [
    "a token",
    "spec.automountServiceAccountToken",
    ({ spec }) => Object.assign(spec, { automountServiceAccountToken: true }),
  ],
  [
    "another image",
    "spec.containers[0].image",
    (_, engine) => Object.assign(engine, { image: "evil:1" }),
  ],
  [
    "another command",
    "spec.containers[0].command",
    (_, engine) => Object.assign(engine, { command: ["sh"] }),
  ],
  [
    "other arguments",
    "spec.containers[0].args[1]",
    (_, engine) => engine.args.push("--trust-remote-code"),
  ],
  [
    "a command as a hook",
    "spec.containers[0].lifecycle",
    (_, engine) =>
      Object.assign(engine, { lifecycle: { postStart: { exec: { command: ["sh"] } } } }),
  ],
  [
    "a command as a probe",
    "spec.containers[0].livenessProbe",
    (_, engine) => Object.assign(engine, { livenessProbe: { exec: { command: ["sh"] } } }),
  ],
  ["a node", "spec.nodeName", ({ spec }) => Object.assign(spec, { nodeName: "control-plane" })],
  [
    "a port of the host",
    "spec.containers[0].ports[0].hostPort",
    (_, engine) => Object.assign(engine, { ports: [{ containerPort: 1, hostPort: 1 }] }),
  ],
  [
    "a mount that reaches the host",
    "spec.containers[0].volumeMounts[0].mountPropagation",
    (_, engine) =>
      Object.assign(engine, {
        volumeMounts: [{ name: "token", mountPath: "/t", mountPropagation: "Bidirectional" }],
      }),
  ],
  [
    "the processes of all containers",
    "spec.shareProcessNamespace",
    ({ spec }) => Object.assign(spec, { shareProcessNamespace: true }),
  ],
  ["the host's users", "spec.hostUsers", ({ spec }) => Object.assign(spec, { hostUsers: true })],
  [
    "sysctls",
    "spec.securityContext.sysctls",
    ({ spec }) => Object.assign(spec, { securityContext: { sysctls: [] } }),
  ],
  [
    "a group of files",
    "spec.securityContext.fsGroup",
    ({ spec }) => Object.assign(spec, { securityContext: { fsGroup: 0 } }),
  ],
  [
    "a field that is not there yet",
    "spec.hostEverything",
    ({ spec }) => Object.assign(spec, { hostEverything: true }),
  ],
  ["no container", "spec.containers[0]", ({ spec }) => Object.assign(spec, { containers: [] })],
];

describe("B3: a plugin may not give a pod:", () => {
  it.each(attacks)("%s", (_what, path, change) => {
    for (const byEndpoint of [true, false])
      expect(refusals(change, byEndpoint).map((at) => at.replace(".args[1]", ".args"))).toContain(
        path.replace(".args[1]", ".args"),
      );
  });

  it("a container, if the plugin is an endpoint (code of the platform may add one)", () => {
    const change = ({ spec }: Free) =>
      Object.assign(spec, { initContainers: [{ name: "download", image: "hf:1" }] });
    expect(refusals(change, true)).toEqual(["spec.initContainers[0]"]);
    expect(refusals(change, false)).toEqual([]);
  });
});

describe("a plugin may:", () => {
  it.each<[what: string, (pod: Free, engine: Free) => void]>([
    ["label and annotate", ({ metadata }) => Object.assign(metadata.labels, { rank: "1" })],
    ...pluginMayChange.spec.map((field): [string, (pod: Free) => void] => [
      `set spec.${field}`,
      ({ spec }) => Object.assign(spec, { [field]: { a: "b" } }),
    ]),
    ...pluginMayChange.volumes.map((type): [string, (pod: Free) => void] => [
      `add a volume of type ${type} before the template's`,
      ({ spec }) => spec.volumes.unshift({ name: "new", [type]: {} }),
    ]),
    ["set variables", (_, engine) => engine.env.unshift({ name: "NCCL_DEBUG", value: "INFO" })],
    [
      "set variables of the pod",
      (_, engine) =>
        engine.env.push({ name: "N", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }),
    ],
    [
      "ask for devices",
      (_, engine) => Object.assign(engine, { resources: { limits: { "rdma/hca": "1" } } }),
    ],
    [
      "mount",
      (_, engine) => Object.assign(engine, { volumeMounts: [{ name: "token", mountPath: "/t" }] }),
    ],
    [
      "lower rights",
      (_, engine) => Object.assign(engine.securityContext, { readOnlyRootFilesystem: true }),
    ],
  ])("%s", (_what, change) => {
    expect(refusals(change, true)).toEqual([]);
  });
});
