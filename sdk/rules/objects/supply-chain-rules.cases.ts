import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { digest } from "./good-stack.fixture.ts";
import { decode, embedder, server, workerEngine } from "./places.fixture.ts";

const pod = (fields: object = {}) => ({
  spec: { containers: [{ name: "server", image: "server:1.2.3" }], ...fields },
});
const toRayCluster: Edit = [
  embedder,
  "",
  {
    apiVersion: "ray.io/v1",
    kind: "RayCluster",
    spec: { headGroupSpec: { template: pod() }, workerGroupSpecs: [{ template: pod() }] },
  },
];
const toRayService: Edit = [
  embedder,
  "",
  {
    apiVersion: "ray.io/v1",
    kind: "RayService",
    spec: { rayClusterConfig: { headGroupSpec: { template: pod() }, workerGroupSpecs: [] } },
  },
];
const toPodTemplate: Edit = [
  embedder,
  "",
  { apiVersion: "v1", kind: "PodTemplate", template: pod() },
];
const at = "Deployment ml/embedder: spec.template.spec";
const first = `${at}.containers[0]`;
const hostPathFix = "Mount a persistentVolumeClaim, an image volume or an emptyDir instead.";
const notOf = (image: string) =>
  `Deployment ml/embedder: spec.template.spec.containers[0].image: is ${image}; allowed: a digest, or a tag with the full version. Use the version that you tested.`;
const ofTemplate = "spec template spec";

const token = `hf_${"aB3dE".repeat(6)}`;
const pasted = (place: string, beginning = "hf_") =>
  `${first}.${place}: contains a token as text (${beginning}...); allowed: a variable that a Secret sets. Store the token in a Secret, read it with valueFrom.secretKeyRef, and revoke this one. For a gated model, set model.token to the name of the Secret.`;
const variables = (...values: object[]): Edit => [
  embedder,
  `${server} env`,
  values.map((value, at) => ({ name: `V${at}`, ...value })),
];

const pods = "spec template spec";
const mounted: Edit = [embedder, `${pods} automountServiceAccountToken`, undefined];
const mounts = (given: string) =>
  `Deployment ml/embedder: spec.template.spec.automountServiceAccountToken: ${given}; allowed: false, or another ServiceAccount. Set it to false.`;

export const supplyChainCases: readonly RuleCases[] = [
  {
    rule: "image-tag-is-fixed",
    allows: {
      "a tag with the full version": [[embedder, `${server} image`, "vllm/vllm-openai:v0.11.0"]],
      "a tag with a suffix after the version": [
        [embedder, `${server} image`, "registry:5000/server:1.2.3-cuda12"],
      ],
      "a digest": [[embedder, `${server} image`, `server@${digest}`]],
      "a nightly build with its date": [
        [embedder, `${server} image`, "server:1.2.3-nightly-20261101"],
      ],
      "a development build with its number": [[embedder, `${server} image`, "server:1.2.3.dev45"]],
      "a version after a name, with the date of the build": [
        [embedder, `${server} image`, "rocm/vllm:rocm7.0.0_vllm_0.26.0_20260701"],
      ],
      "a moving word inside a longer word": [[embedder, `${server} image`, "server:1.2.3-devel"]],
    },
    refuses: {
      "a version with the word latest": {
        edits: [[embedder, `${server} image`, "server:v0.11.0-latest"]],
        finds: [notOf("server:v0.11.0-latest")],
      },
      "a part of a version with the word nightly": {
        edits: [[embedder, `${server} image`, "server:1.2-nightly"]],
        finds: [notOf("server:1.2-nightly")],
      },
      "a version with the word nightly": {
        edits: [[embedder, `${server} image`, "server:1.2.3.Nightly"]],
        finds: [notOf("server:1.2.3.Nightly")],
      },
      "the tag latest in a RayCluster": {
        edits: [
          toRayCluster,
          [
            "RayCluster/embedder",
            "spec workerGroupSpecs 0 template spec containers 0 image",
            "server:latest",
          ],
        ],
        finds: [
          "RayCluster ml/embedder: spec.workerGroupSpecs[0].template.spec.containers[0].image: is server:latest; allowed: a digest, or a tag with the full version. Use the version that you tested.",
        ],
      },
      "the tag latest": {
        edits: [[embedder, `${server} image`, "vllm/vllm-openai:latest"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is vllm/vllm-openai:latest; allowed: a digest, or a tag with the full version. Use the version that you tested.",
        ],
      },
      "an image without a tag": {
        edits: [[embedder, `${server} image`, "registry:5000/server"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is registry:5000/server, which means latest; allowed: a digest, or a tag with the full version. Use the version that you tested.",
        ],
      },
      "a tag with the major version only": {
        edits: [[embedder, `${server} image`, "server:v1"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is server:v1; allowed: a digest, or a tag with the full version. Use the version that you tested.",
        ],
      },
    },
  },
  {
    rule: "image-has-a-digest",
    allows: {
      "a digest": [[embedder, `${server} image`, `server@${digest}`]],
      "a digest with a tag": [[embedder, `${server} image`, `registry:5000/server:v1@${digest}`]],
      "a container without an image": [[embedder, `${server} image`, undefined]],
    },
    refuses: {
      "a tag": {
        edits: [[embedder, `${server} image`, "server:1.2.3"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is server:1.2.3; allowed: a digest. Append the digest.",
        ],
      },
      "a digest that is cut short": {
        edits: [[embedder, `${server} image`, "server@sha256:abc"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].image: is server@sha256:abc; allowed: a digest. Append the digest.",
        ],
      },
      "a name without tag or digest": {
        edits: [[decode, `${workerEngine} image`, "server"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].image: is server; allowed: a digest. Append the digest.",
        ],
      },
    },
  },
  {
    rule: "pods-run-as-non-root",
    allows: {
      "runAsNonRoot of the pod": [
        [embedder, "spec template spec securityContext", { runAsNonRoot: true }],
        [embedder, `${server} securityContext`, { allowPrivilegeEscalation: false }],
      ],
      "another user of the container": [[embedder, `${server} securityContext runAsUser`, 1000]],
      "another user of the pod": [
        [embedder, "spec template spec securityContext", { runAsUser: 1000 }],
      ],
    },
    refuses: {
      "a container without runAsNonRoot": {
        edits: [[embedder, `${server} securityContext runAsNonRoot`, undefined]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.runAsNonRoot: is missing; allowed: true. Set it on the pod or on the container.",
        ],
      },
      "the user 0": {
        edits: [[embedder, `${server} securityContext runAsUser`, 0]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.runAsUser: is 0; allowed: a user other than root. Set it on the pod or on the container.",
        ],
      },
      "runAsNonRoot false": {
        edits: [[embedder, `${server} securityContext runAsNonRoot`, false]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.runAsNonRoot: is false; allowed: true. Set it on the pod or on the container.",
        ],
      },
    },
  },
  {
    rule: "pods-are-restricted",
    allows: {
      "privileged false": [[embedder, `${server} securityContext privileged`, false]],
      "the capability to bind low ports": [
        [embedder, `${server} securityContext capabilities add`, ["NET_BIND_SERVICE"]],
      ],
      "mounts that propagate from the host": [
        [
          embedder,
          `${server} volumeMounts`,
          [{ name: "v", mountPath: "/v", mountPropagation: "HostToContainer" }],
        ],
      ],
      "the capability to lock memory": [
        [embedder, `${server} securityContext capabilities add`, ["CAP_IPC_LOCK"]],
      ],
      "a safe kernel parameter": [
        [
          embedder,
          `${ofTemplate} securityContext sysctls`,
          [{ name: "net.ipv4.tcp_rmem", value: "1" }],
        ],
      ],
      "an unmasked /proc in a user namespace": [
        [embedder, `${ofTemplate} hostUsers`, false],
        [embedder, `${server} securityContext procMount`, "Unmasked"],
      ],
      "a RayCluster": [toRayCluster],
      "a PodTemplate": [toPodTemplate],
      "hostPID false": [[embedder, "spec template spec hostPID", false]],
    },
    refuses: {
      "a privileged container": {
        edits: [[embedder, `${server} securityContext privileged`, true]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.privileged: is true; allowed: false. Remove the field.",
        ],
      },
      "a container that may gain privileges": {
        edits: [[embedder, `${server} securityContext allowPrivilegeEscalation`, true]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.allowPrivilegeEscalation: is true; allowed: false. Set it to false.",
        ],
      },
      "the capability SYS_ADMIN": {
        edits: [[embedder, `${server} securityContext capabilities add`, ["SYS_ADMIN"]]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].securityContext.capabilities.add: has SYS_ADMIN; allowed: NET_BIND_SERVICE, IPC_LOCK. Remove the field.",
        ],
      },
      "a path of the host": {
        edits: [
          [
            embedder,
            `${ofTemplate} volumes`,
            [{ name: "v", hostPath: { path: "/var/run/docker.sock" } }],
          ],
        ],
        finds: [`${at}.volumes[0].hostPath: is set; allowed: nothing. ${hostPathFix}`],
      },
      "a port of the host": {
        edits: [[embedder, `${server} ports`, [{ containerPort: 8000, hostPort: 8000 }]]],
        finds: [`${first}.ports[0].hostPort: is 8000; allowed: nothing. Remove the field.`],
      },
      "an unmasked /proc": {
        edits: [[embedder, `${server} securityContext procMount`, "Unmasked"]],
        finds: [
          `${first}.securityContext.procMount: is Unmasked; allowed: Default. Remove the field.`,
        ],
      },
      "a pod without seccomp": {
        edits: [[embedder, `${ofTemplate} securityContext seccompProfile`, { type: "Unconfined" }]],
        finds: [
          `${at}.securityContext.seccompProfile.type: is Unconfined; allowed: RuntimeDefault, Localhost. Set RuntimeDefault on the pod or on the container.`,
        ],
      },
      "an annotation that turns AppArmor off": {
        edits: [
          [
            embedder,
            "spec template metadata annotations",
            { "container.apparmor.security.beta.kubernetes.io/server": "unconfined" },
          ],
        ],
        finds: [
          'Deployment ml/embedder: spec.template.metadata.annotations["container.apparmor.security.beta.kubernetes.io/server"]: is unconfined; allowed: runtime/default, localhost/PROFILE. Remove the field.',
        ],
      },
      "mounts that propagate to the host": {
        edits: [
          [
            embedder,
            `${server} volumeMounts`,
            [{ name: "v", mountPath: "/v", mountPropagation: "Bidirectional" }],
          ],
        ],
        finds: [
          `${first}.volumeMounts[0].mountPropagation: is Bidirectional; allowed: None, HostToContainer. Remove it: Kubernetes accepts it only in privileged containers, which no Pod Security level allows.`,
        ],
      },
      "a privileged ephemeral container": {
        edits: [
          [
            embedder,
            `${ofTemplate} ephemeralContainers`,
            [{ name: "debug", securityContext: { privileged: true } }],
          ],
        ],
        finds: [
          `${at}.ephemeralContainers[0].securityContext.privileged: is true; allowed: false. Remove the field.`,
        ],
      },
      "the host's IPC in a RayCluster": {
        edits: [
          toRayCluster,
          ["RayCluster/embedder", "spec headGroupSpec template spec hostIPC", true],
        ],
        finds: [
          "RayCluster ml/embedder: spec.headGroupSpec.template.spec.hostIPC: is true; allowed: false. Remove the field.",
        ],
      },
      "the host's IPC in a RayService": {
        edits: [
          toRayService,
          [
            "RayService/embedder",
            "spec rayClusterConfig headGroupSpec template spec hostIPC",
            true,
          ],
        ],
        finds: [
          "RayService ml/embedder: spec.rayClusterConfig.headGroupSpec.template.spec.hostIPC: is true; allowed: false. Remove the field.",
        ],
      },
      "a path of the host in a PodTemplate": {
        edits: [
          toPodTemplate,
          [
            "PodTemplate/embedder",
            "template spec volumes",
            [{ name: "v", hostPath: { path: "/" } }],
          ],
        ],
        finds: [
          `PodTemplate ml/embedder: template.spec.volumes[0].hostPath: is set; allowed: nothing. ${hostPathFix}`,
        ],
      },
      "the host's process ids": {
        edits: [[embedder, "spec template spec hostPID", true]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.hostPID: is true; allowed: false. Remove the field.",
        ],
      },
    },
  },
  {
    rule: "tokens-are-in-secrets",
    allows: {
      "a variable of a Secret": [
        variables({ valueFrom: { secretKeyRef: { name: "hf", key: "token" } } }),
      ],
      "the name of a token": [variables({ value: "hf_token_of_the_platform_team" })],
      "a model whose name begins like a token": [
        [embedder, `${server} args`, ["--model", "org/sk-small-model-of-the-team"]],
      ],
      "a reference to a variable": [[embedder, `${server} args`, ["--api-key", "$(API_KEY)"]]],
    },
    refuses: {
      "a token in a variable": {
        edits: [variables({ value: "x" }, { value: token })],
        finds: [pasted("env[1].value")],
      },
      "a token in an argument": {
        edits: [[embedder, `${server} args`, ["--model", "m", `--hf-token=${token}`]]],
        finds: [pasted("args[2]")],
      },
      "a token in a script": {
        edits: [
          [embedder, `${server} command`, ["sh", "-c", `export K=sk-proj-${"Ab1".repeat(9)}; run`]],
        ],
        finds: [pasted("command[2]", "sk-")],
      },
      "a JSON Web Token in a variable": {
        edits: [variables({ value: `Bearer eyJ${"hbGci1".repeat(4)}.eyJ${"zdWIi2".repeat(4)}.x` })],
        finds: [pasted("env[0].value", "eyJ")],
      },
    },
  },
  {
    rule: "pods-mount-no-default-token",
    allows: {
      "another ServiceAccount": [mounted, [embedder, `${pods} serviceAccountName`, "embedder"]],
      "no token of another account": [[embedder, `${pods} serviceAccountName`, "embedder"]],
      "no token of the default account": [[embedder, `${pods} serviceAccountName`, "default"]],
    },
    refuses: {
      "a field that is missing": { edits: [mounted], finds: [mounts("is missing")] },
      "a token that is asked for": {
        edits: [[embedder, `${pods} automountServiceAccountToken`, true]],
        finds: [mounts("is true")],
      },
      "the default account by name": {
        edits: [[embedder, `${pods} serviceAccountName`, "default"], mounted],
        finds: [mounts("is missing")],
      },
    },
  },
];
