import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  checksOfLevel,
  mountsStayInPods,
  podSecurityChecks,
  podSecurityLevels,
  refusedBy,
} from "../../sdk/rules/helpers/pod-security-standards.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";

/** Compares the table of Pod Security checks with the PodSecurity admission of the API server. */

type Fields = Record<string, unknown>;

const safe = {
  ...{ allowPrivilegeEscalation: false, runAsNonRoot: true },
  ...{ capabilities: { drop: ["ALL"] }, seccompProfile: { type: "RuntimeDefault" } },
};

/** A pod that `restricted` allows, with changes of its spec, its container and its container's security context. */
function pod({ spec = {}, container = {}, security = {}, annotations = {} }: Change): object {
  const server = { name: "server", image: "i", securityContext: { ...safe, ...security } };
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "pod", annotations } },
    spec: { containers: [{ ...server, ...container }], ...spec },
  };
}

interface Change {
  readonly spec?: Fields;
  readonly container?: Fields;
  readonly security?: Fields;
  readonly annotations?: Record<string, string>;
}

/** The security context of the pod. */
const ofPod = (securityContext: Fields): Change => ({ spec: { securityContext } });
const volume = (type: string, value: object = {}): Change => ({
  spec: { volumes: [{ name: "v", [type]: value }] },
});
const http = (host?: string) => ({ httpGet: { port: 80, ...(host !== undefined && { host }) } });
const tcp = (host: string) => ({ tcpSocket: { port: 80, host } });
const windows = { os: { name: "windows" } };
const apparmor = "container.apparmor.security.beta.kubernetes.io/server";

/**
 * Each with the level that refuses it first. Validation, which comes before admission, refuses an unmasked /proc and
 * Bidirectional mounts.
 */
const cases: Readonly<
  Record<"none" | "restricted" | "baseline", Readonly<Record<string, Change>>>
> = {
  none: {
    "a safe pod": {},
    "a host port of 0": { container: { ports: [{ containerPort: 80, hostPort: 0 }] } },
    "procMount Default": { security: { procMount: "Default" } },
    "seccomp Localhost": {
      security: { seccompProfile: { type: "Localhost", localhostProfile: "p" } },
    },
    "AppArmor RuntimeDefault": { security: { appArmorProfile: { type: "RuntimeDefault" } } },
    "an annotation of AppArmor, localhost": { annotations: { [apparmor]: "localhost/p" } },
    "SELinux container_t": ofPod({ seLinuxOptions: { type: "container_t" } }),
    "SELinux container_engine_t": ofPod({
      seLinuxOptions: { type: "container_engine_t", level: "s0" },
    }),
    "a safe sysctl": ofPod({ sysctls: [{ name: "net.ipv4.tcp_wmem", value: "1" }] }),
    NET_BIND_SERVICE: { security: { capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } } },
    "a probe of the pod": { container: { livenessProbe: http() } },
    "a probe with an empty host": { container: { livenessProbe: http("") } },
    "a volume without a type": { spec: { volumes: [{ name: "v" }] } },
    "an emptyDir": volume("emptyDir"),
    "a ConfigMap": volume("configMap", { name: "c" }),
    "a CSI volume": volume("csi", { driver: "d" }),
    "an image volume": volume("image", { reference: "i" }),
    "a claim": volume("persistentVolumeClaim", { claimName: "c" }),
    "mounts HostToContainer": {
      spec: { volumes: [{ name: "v" }] },
      container: {
        volumeMounts: [{ name: "v", mountPath: "/v", mountPropagation: "HostToContainer" }],
      },
    },
    "runAsNonRoot and seccomp of the pod": {
      ...ofPod({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }),
      security: { runAsNonRoot: undefined, seccompProfile: undefined },
    },
    "root in a user namespace": {
      spec: { hostUsers: false },
      security: { runAsUser: 0, runAsNonRoot: false },
    },
    "a Windows pod without capabilities": {
      spec: { ...windows, securityContext: { runAsNonRoot: true } },
      container: { securityContext: {} },
    },
  },
  restricted: {
    "a container that is silent": { container: { securityContext: undefined } },
    escalation: { security: { allowPrivilegeEscalation: true } },
    "escalation not forbidden": { security: { allowPrivilegeEscalation: undefined } },
    "an init container that is silent": {
      spec: { initContainers: [{ name: "init", image: "i" }] },
    },
    "capabilities that are kept": { security: { capabilities: {} } },
    "some dropped capabilities": { security: { capabilities: { drop: ["CHOWN"] } } },
    CHOWN: { security: { capabilities: { drop: ["ALL"], add: ["CHOWN"] } } },
    "runAsNonRoot missing": { security: { runAsNonRoot: undefined } },
    "runAsNonRoot false of the pod": ofPod({ runAsNonRoot: false }),
    "user 0": { security: { runAsUser: 0 } },
    "user 0 of the pod": ofPod({ runAsUser: 0 }),
    "seccomp missing": { security: { seccompProfile: undefined } },
    "an NFS volume": volume("nfs", { server: "s", path: "/p" }),
    "a Ceph volume": volume("cephfs", { monitors: ["m"] }),
    "an unmasked /proc in a user namespace": {
      spec: { hostUsers: false },
      security: { procMount: "Unmasked" },
    },
    "a silent Windows pod": { spec: windows, container: { securityContext: {} } },
  },
  baseline: {
    hostNetwork: { spec: { hostNetwork: true } },
    hostPID: { spec: { hostPID: true } },
    hostIPC: { spec: { hostIPC: true } },
    privileged: { security: { privileged: true, allowPrivilegeEscalation: undefined } },
    "privileged init container": {
      spec: {
        initContainers: [{ name: "init", image: "i", securityContext: { privileged: true } }],
      },
    },
    SYS_ADMIN: { security: { capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } } },
    CAP_CHOWN: { security: { capabilities: { add: ["CAP_CHOWN"] } } },
    IPC_LOCK: { security: { capabilities: { add: ["IPC_LOCK"] } } },
    hostPath: volume("hostPath", { path: "/" }),
    "docker.sock": volume("hostPath", { path: "/var/run/docker.sock", type: "Socket" }),
    hostPort: { container: { ports: [{ containerPort: 80, hostPort: 80 }] } },
    "hostPort of an init container": {
      spec: {
        initContainers: [
          { name: "init", image: "i", ports: [{ containerPort: 80, hostPort: 81 }] },
        ],
      },
    },
    "seccomp Unconfined": { security: { seccompProfile: { type: "Unconfined" } } },
    "seccomp Unconfined of the pod": ofPod({ seccompProfile: { type: "Unconfined" } }),
    "AppArmor Unconfined": { security: { appArmorProfile: { type: "Unconfined" } } },
    "AppArmor Unconfined of the pod": ofPod({ appArmorProfile: { type: "Unconfined" } }),
    "an annotation of AppArmor, unconfined": { annotations: { [apparmor]: "unconfined" } },
    "an SELinux type": ofPod({ seLinuxOptions: { type: "spc_t" } }),
    "an SELinux user": { security: { seLinuxOptions: { user: "u" } } },
    "an SELinux role": { security: { seLinuxOptions: { role: "r" } } },
    "an unmasked /proc": { security: { procMount: "Unmasked" } },
    "an unsafe sysctl": ofPod({ sysctls: [{ name: "kernel.msgmax", value: "1" }] }),
    "hostProcess of the pod": {
      spec: {
        ...windows,
        hostNetwork: true,
        securityContext: { windowsOptions: { hostProcess: true } },
      },
      container: { securityContext: {} },
    },
    "a probe of another host": { container: { readinessProbe: http("10.0.0.1") } },
    "a startup probe of another host": { container: { startupProbe: tcp("10.0.0.1") } },
    "a preStop hook at another host": { container: { lifecycle: { preStop: http("10.0.0.1") } } },
    "a postStart hook at another host": {
      container: { lifecycle: { postStart: tcp("10.0.0.1") } },
    },
    "mounts Bidirectional": {
      spec: { volumes: [{ name: "v" }] },
      container: {
        volumeMounts: [{ name: "v", mountPath: "/v", mountPropagation: "Bidirectional" }],
      },
    },
  },
};

let cluster: AttachedCluster;
const namespaces = new Map<string, string>();

beforeAll(async () => {
  cluster = await sharedCluster();
  for (const level of podSecurityLevels) {
    const namespace = await freshNamespace(cluster, `pod-security-${level}`);
    namespaces.set(level, namespace);
    const labels = {
      "pod-security.kubernetes.io/enforce": level,
      "pod-security.kubernetes.io/enforce-version": "latest",
    };
    await cluster.request(
      ...(["PATCH", `/api/v1/namespaces/${namespace}`, { metadata: { labels } }] as const),
      "application/merge-patch+json",
    );
  }
}, 300_000);
afterAll(() => cluster?.detach());

/** Checks of the table that refuse a pod. */
function refusing(level: (typeof podSecurityLevels)[number], manifest: object): string[] {
  const pods = readStack([manifest]).workloads.flatMap((workload) => workload.pods);
  return [...checksOfLevel(level), mountsStayInPods]
    .filter((check) => pods.some((one) => [...refusedBy(check, one)].length > 0))
    .map(({ id }) => id);
}

const all = Object.entries(cases).flatMap(([refusedFrom, changes]) =>
  Object.entries(changes).map(([name, change]) => ({ refusedFrom, name, manifest: pod(change) })),
);

describe.each(podSecurityLevels)("level %s", (level) => {
  it.each(all)(
    "$name is refused by the table if the API server refuses it",
    async ({ refusedFrom, manifest }) => {
      const path = `/api/v1/namespaces/${namespaces.get(level)}/pods?dryRun=All`;
      const answer = await cluster.request("POST", path, manifest).then(
        () => "allowed",
        (error: Error) => error.message,
      );
      if (answer !== "allowed")
        expect(answer).toMatch(/violates PodSecurity|(procMount|mountPropagation): /);
      const refused = refusing(level, manifest);
      expect({ refused: refused.length > 0, answer }).toEqual({
        refused: answer !== "allowed",
        answer,
      });
      expect(refused.length > 0).toBe(
        refusedFrom === "baseline" || (refusedFrom === "restricted" && level === "restricted"),
      );
    },
  );
});

it("each check of the table refuses one of the pods", () => {
  const used = new Set(
    all.flatMap(({ manifest }) => podSecurityLevels.flatMap((level) => refusing(level, manifest))),
  );
  expect(podSecurityChecks.filter(({ id }) => !used.has(id))).toEqual([]);
});
