import { describe, expect, it } from "vitest";
import { violations } from "../invariant.ts";
import type { HookPod } from "./hook-request.ts";
import { podChangeRules } from "./pod-change-rules.ts";

// biome-ignore lint/suspicious/noExplicitAny: a hook writes what it likes.
type Free = any;

/** A pod that an API server has admitted, with an engine, a sidecar with credentials, and a sandbox. */
const admitted = (): HookPod =>
  ({
    metadata: {
      name: "p",
      namespace: "n",
      labels: { app: "m" },
      annotations: { "container.apparmor.security.beta.kubernetes.io/engine": "localhost/strict" },
    },
    spec: {
      runtimeClassName: "gvisor",
      automountServiceAccountToken: false,
      hostUsers: false,
      serviceAccountName: "engine",
      nodeSelector: { sandbox: "yes" },
      resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpu" }],
      securityContext: {
        runAsUser: 1000,
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "engine",
          image: "vllm:1",
          command: ["/engine/serve"],
          imagePullPolicy: "Always",
          env: [
            { name: "API_KEY", valueFrom: { secretKeyRef: { name: "api", key: "k" } } },
            { name: "A", value: "1" },
          ],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            runAsGroup: 1000,
            capabilities: { drop: ["ALL"], add: ["IPC_LOCK"] },
          },
          volumeMounts: [{ name: "api", mountPath: "/api", subPath: "k", readOnly: true }],
          readinessProbe: { httpGet: { port: 8000 } },
        },
        {
          name: "sidecar",
          image: "s:1",
          volumeMounts: [
            { name: "token", mountPath: "/t" },
            { name: "handed", mountPath: "/h" },
          ],
          resources: { claims: [{ name: "gpu" }] },
        },
      ],
      initContainers: [
        { name: "first", image: "i:1", restartPolicy: "Always" },
        { name: "second", image: "i:1" },
      ],
      volumes: [
        { name: "token", secret: { secretName: "hf" } },
        { name: "api", secret: { secretName: "api" } },
        { name: "handed", emptyDir: {} },
        { name: "model", persistentVolumeClaim: { claimName: "model" } },
        { name: "unused", secret: { secretName: "for-plugins" } },
      ],
    },
  }) as unknown as HookPod;

const context = (fields: object) => (_: Free, engine: Free) =>
  Object.assign(engine.securityContext, fields);
const ofPod = (fields: object) => (pod: Free) => Object.assign(pod.spec, fields);
const ofEngine = (fields: object) => (_: Free, engine: Free) => Object.assign(engine, fields);
const mounted = (mount: object) => (_: Free, engine: Free) => engine.volumeMounts.push(mount);
const variable = (name: string) => (_: Free, engine: Free) =>
  engine.env.push({ name, value: "/x" });
const withVolume =
  (volume: object, mountPath: string, more: object = {}) =>
  (pod: Free, engine: Free) => {
    pod.spec.volumes.push({ name: "x", ...volume });
    engine.volumeMounts.push({ name: "x", mountPath, ...more });
  };
const annotated =
  (key: string, field = "annotations") =>
  (pod: Free) =>
    Object.assign(pod.metadata[field], { [key]: "x" });

const image = { image: { reference: "evil:1" } };
const grantingKeys = [
  "container.apparmor.security.beta.kubernetes.io/sidecar",
  "seccomp.security.alpha.kubernetes.io/pod",
  "container.seccomp.security.alpha.kubernetes.io/engine",
  "security.alpha.kubernetes.io/unsafe-sysctls",
  "openshift.io/required-scc",
  "iam.amazonaws.com/role",
  "vault.hashicorp.com/agent-inject",
  "sidecar.istio.io/inject",
  "sidecar.istio.io/userVolume",
  "inject.istio.io/templates",
  "config.linkerd.io/proxy-image",
  "instrumentation.opentelemetry.io/inject-python",
  "k8s.v1.cni.cncf.io/networks",
  "cni.projectcalico.org/ipAddrs",
  "io.katacontainers.config.hypervisor.path",
  "dev.gvisor.spec.mount.x.source",
  "io.kubernetes.cri-o.Devices",
  "io.kubernetes.cri.untrusted-workload",
  "cpu-quota.crio.io",
  "run.oci.handler",
  "cdi.k8s.io/gpu",
  "gke-gcsfuse/volumes",
];
const loaders = [
  ...["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PATH", "BASH_ENV", "GCONV_PATH"],
  ...["PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "PYTHONUSERBASE"],
  ...["NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "PERL5OPT", "RUBYOPT", "CUDA_INJECTION64_PATH"],
  ...["NCCL_NET_PLUGIN", "NCCL_TUNER_PLUGIN", "NVIDIA_VISIBLE_DEVICES", "OPENSSL_CONF"],
];
const programs = [
  ...["/usr/local/bin", "/usr/local/lib/python3.12/dist-packages", "/lib64", "/etc", "/"],
  ...["/models/../usr/lib", "usr/lib", "//usr", "/root/.local", "/engine", "/app", "/opt/venv"],
];

/** W1, W3 and W4 of issue 44, and similar attacks. */
const onAdmitted: ReadonlyArray<[what: string, change: (pod: Free, engine: Free) => unknown]> = [
  [
    "the user of the pod as null",
    (pod) => Object.assign(pod.spec.securityContext, { runAsUser: null }),
  ],
  [
    "the profile of the pod as null",
    (pod) => Object.assign(pod.spec.securityContext, { seccompProfile: null }),
  ],
  ["the seccomp profile of the engine as null", context({ seccompProfile: null })],
  ["the AppArmor profile of the engine as null", context({ appArmorProfile: null })],
  [
    "the seccomp profile of an init container as null",
    (pod) =>
      Object.assign(pod.spec.initContainers[0], { securityContext: { seccompProfile: null } }),
  ],
  ["the pod's context as null", ofPod({ securityContext: null })],
  ["the pod's context as empty", ofPod({ securityContext: {} })],
  ["the engine's context as null", ofEngine({ securityContext: null })],
  ["the engine's context as empty", ofEngine({ securityContext: {} })],
  ["the group as null", context({ runAsGroup: null })],
  ["group 0", context({ runAsGroup: 0 })],
  ["another user", context({ runAsUser: 1337 })],
  ["user 0 over the pod's", context({ runAsUser: 0 })],
  ["root over the pod's rule", context({ runAsNonRoot: false })],
  ["escalation as null", context({ allowPrivilegeEscalation: null })],
  ["a writable root as null", context({ readOnlyRootFilesystem: null })],
  ["capabilities as null", context({ capabilities: null })],
  ["capabilities that drop null", context({ capabilities: { add: ["IPC_LOCK"], drop: null } })],
  [
    "another capability",
    context({ capabilities: { drop: ["ALL"], add: ["IPC_LOCK", "NET_RAW"] } }),
  ],
  ["an empty drop", context({ capabilities: { drop: [], add: ["IPC_LOCK"] } })],
  ["no profile over the pod's", context({ seccompProfile: { type: "Unconfined" } })],
  [
    "a profile of the node",
    context({ seccompProfile: { type: "Localhost", localhostProfile: "x" } }),
  ],
  ["an empty profile", context({ seccompProfile: {} })],
  [
    "a profile over the legacy annotation",
    context({ appArmorProfile: { type: "RuntimeDefault" } }),
  ],
  ["another label of SELinux", context({ seLinuxOptions: { type: "spc_t" } })],
  ["an unmasked /proc", context({ procMount: "Unmasked" })],
  ["a field of a context that is new", context({ hostEverything: true })],
  [
    "no legacy profile",
    ({ metadata }) =>
      Reflect.deleteProperty(
        metadata.annotations,
        "container.apparmor.security.beta.kubernetes.io/engine",
      ),
  ],
  ["no annotations", ({ metadata }) => Object.assign(metadata, { annotations: null })],
  ["no runtime class", ({ spec }) => Reflect.deleteProperty(spec, "runtimeClassName")],
  ["a runtime class of null", ofPod({ runtimeClassName: null })],
  ["runc", ofPod({ runtimeClassName: "runc" })],
  ["the default runtime class", ofPod({ runtimeClassName: "" })],
  ["a token by null", ofPod({ automountServiceAccountToken: null })],
  ["the host's users by null", ofPod({ hostUsers: null })],
  ["the default account", ofPod({ serviceAccountName: null })],
  ["nodes of others", ofPod({ nodeSelector: {} })],
  ["names of others", ofPod({ hostAliases: [{ ip: "6.6.6.6", hostnames: ["huggingface.co"] }] })],
  ["a resolver", ofPod({ dnsConfig: { nameservers: ["6.6.6.6"] } })],
  ["the resolver of nothing", ofPod({ dnsPolicy: "None" })],
  ["a gate of scheduling", ofPod({ schedulingGates: [{ name: "x" }] })],
  ["a gate of readiness", ofPod({ readinessGates: [{ conditionType: "x" }] })],
  ["an ephemeral container", ofPod({ ephemeralContainers: [{ name: "debug", image: "x:1" }] })],
  ["no readiness", ofEngine({ readinessProbe: null })],
  ["a lifecycle", ofEngine({ lifecycle: { preStop: { exec: { command: ["sh"] } } } })],
  ["another directory", ofEngine({ workingDir: "/tmp" })],
  ["no command", ofEngine({ command: null })],
  ["images that other pods pulled", ofEngine({ imagePullPolicy: "Never" })],
  ["a pull policy of null", ofEngine({ imagePullPolicy: null })],
  ["a terminal", ofEngine({ stdin: true, tty: true })],
  [
    "an init container that ends",
    ({ spec }) => Object.assign(spec.initContainers[0], { restartPolicy: null }),
  ],
  [
    "an init container that stays",
    ({ spec }) => Object.assign(spec.initContainers[1], { restartPolicy: "Always" }),
  ],
  ["init containers in another order", ({ spec }) => spec.initContainers.reverse()],
  ["another container's Secret", mounted({ name: "token", mountPath: "/t" })],
  [
    "a part of another container's Secret",
    mounted({ name: "token", mountPath: "/t", subPath: "x" }),
  ],
  ["more of its own Secret", mounted({ name: "api", mountPath: "/all" })],
  ["files that containers hand on", mounted({ name: "handed", mountPath: "/h" })],
  ["a part of a mount", (_, engine) => Reflect.deleteProperty(engine.volumeMounts[0], "subPath")],
  ["no mounts", ofEngine({ volumeMounts: null })],
  ["a Secret as a device", ofEngine({ volumeDevices: [{ name: "token", devicePath: "/dev/x" }] })],
  ["another container's claim", ofEngine({ resources: { claims: [{ name: "gpu" }] } })],
  ["another claim", ofPod({ resourceClaims: [{ name: "gpu", resourceClaimName: "admin" }] })],
  [
    "an image instead of a claim",
    ({ spec }) => spec.volumes.splice(3, 1, { name: "model", ...image }),
  ],
  [
    "an emptyDir instead of a Secret",
    ({ spec }) => Object.assign(spec.volumes[0], { secret: null }),
  ],
  [
    "a projected token",
    withVolume({ projected: { sources: [{ serviceAccountToken: {} }] } }, "/x"),
  ],
  ["a Secret beside null", withVolume({ emptyDir: null, secret: { secretName: "db" } }, "/x")],
  ["an address of the host", ofEngine({ ports: [{ containerPort: 1, hostIP: "0.0.0.0" }] })],
  ["no key", (_, engine) => engine.env.shift()],
  ["another key", (_, engine) => engine.env.push({ name: "API_KEY", value: "known" })],
  ["variables of null", ofEngine({ env: null })],
  [
    "a file's variable",
    (_, engine) =>
      engine.env.push({ name: "F", valueFrom: { fileKeyRef: { volumeName: "token" } } }),
  ],
  ...loaders.map((name): [string, Free] => [`the variable ${name}`, variable(name)]),
  ...programs.map((path): [string, Free] => [`an image at ${path}`, withVolume(image, path)]),
  [
    "a ConfigMap as a program",
    withVolume({ configMap: { name: "x" } }, "/usr/lib/python3/sitecustomize.py", { subPath: "x" }),
  ],
  ["a claim as a program", withVolume({ persistentVolumeClaim: { claimName: "x" } }, "/usr/lib/x")],
  ...grantingKeys.map((key): [string, Free] => [`the annotation ${key}`, annotated(key)]),
  ...["aadpodidbinding", "azure.workload.identity/use", "sidecar.istio.io/inject"].map(
    (key): [string, Free] => [`the label ${key}`, annotated(key, "labels")],
  ),
];

const onAdmittedPod = (change: (pod: Free, engine: Free) => unknown, byEndpoint: boolean) => {
  const after: Free = admitted();
  change(after, after.spec.containers[0]);
  return violations(podChangeRules, { before: admitted(), after, byEndpoint });
};

describe("W1, W3, W4: a plugin may not give an admitted pod:", () => {
  it.each(onAdmitted)("%s", (_what, change) => {
    for (const byEndpoint of [true, false])
      expect(onAdmittedPod(change, byEndpoint)).not.toEqual([]);
  });
});

describe("a plugin may change an admitted pod:", () => {
  it.each<[what: string, change: (pod: Free, engine: Free) => unknown]>([
    ["leave it", () => {}],
    ["write null for absent", ofPod({ hostNetwork: null, dnsConfig: null, hostAliases: null })],
    ["add node labels", ({ spec }) => Object.assign(spec.nodeSelector, { zone: "a" })],
    ["tolerate", ofPod({ tolerations: [{ key: "gpu", operator: "Exists" }] })],
    ["prefer nodes", ofPod({ affinity: { nodeAffinity: {} } })],
    [
      "add a claim",
      ({ spec }) => spec.resourceClaims.push({ name: "nic", resourceClaimName: "n" }),
    ],
    ["mount an image with a model", withVolume(image, "/models")],
    ["mount an image where images keep models", withVolume(image, "/root/.cache/huggingface")],
    ["mount shared memory", withVolume({ emptyDir: { medium: "Memory" } }, "/dev/shm")],
    ["mount a volume without a source", withVolume({}, "/var/tmp")],
    ["mount the template's claim", mounted({ name: "model", mountPath: "/models" })],
    ["mount a Secret that the template keeps for it", mounted({ name: "unused", mountPath: "/s" })],
    [
      "enlarge an emptyDir",
      ({ spec }) => Object.assign(spec.volumes[2].emptyDir, { sizeLimit: "1Gi" }),
    ],
    ["set another variable", (_, engine) => Object.assign(engine.env[1], { value: "2" })],
    ["seed hashes", (_, engine) => engine.env.push({ name: "PYTHONHASHSEED", value: "0" })],
    ["add a port", ofEngine({ ports: [{ name: "nixl", containerPort: 5600 }] })],
    ["drop a capability", context({ capabilities: { drop: ["CAP_ALL"] } })],
    ["annotate", annotated("prometheus.io/scrape")],
    ["label", annotated("team", "labels")],
  ])("%s", (_what, change) => {
    for (const byEndpoint of [true, false]) expect(onAdmittedPod(change, byEndpoint)).toEqual([]);
  });
});
