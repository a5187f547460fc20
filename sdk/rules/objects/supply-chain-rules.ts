import { z } from "zod";
import { offByDefault } from "../../schemas/argument.ts";
import { containersOf } from "../../stack/workloads.ts";
import {
  checksOfLevel,
  mountsStayInPods,
  type PodSecurityCheck,
  type PodSecurityLevel,
  podSecurityChecks,
  podSecurityLevels,
  refusedBy,
} from "../helpers/pod-security-standards.ts";
import { everyPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import { pastedTokens, tokensAreInSecrets } from "../spec/pasted-tokens.ts";

const { objectRule } = rulesOfPack("inference-supply-chain");

const tagOf = (image: string) => /:([\w][\w.-]*)$/.exec(image)?.[1];
const hasDigest = (image: string) => /@sha256:[0-9a-f]{64}$/.test(image);

/** Words in tags that move to new builds. A tag with a date of eight digits does not move. */
const movingWords =
  /(^|[-_.+])(latest|nightly|daily|weekly|dev|main|master|edge|head|canary|rolling|snapshot)($|[-_.+])/i;
const hasDate = (tag: string) => /(?<!\d)\d{8}(?!\d)/.test(tag);

/** Reports whether a tag has a version with its patch number, also after a name if it has a date, or a commit hash. */
const isWholeVersion = (tag: string) =>
  /(^|[-_.])[0-9a-f]{40}$/.test(tag) ||
  (/\d+\.\d+\.\d+/.test(tag) && hasDate(tag)) ||
  (/^v?\d+\.\d+\.\d+([-+._]?[\w.-]*)?$/.test(tag) && !movingWords.test(tag));

const imagesAreFixed = objectRule(
  { id: "image-tag-is-fixed", guidelines: ["G32"], code: "reference", level: "advisory" },
  {
    title: "Images have a digest or a full version tag, never latest",
    why: "With a moving tag, pods of one group can run different engine versions after a restart.",
    source: "k8s.io docs, Container Images: avoid :latest; Grove GREP-393",
    fix: "Use a digest, or a tag with the full version such as v0.11.0.",
  },
  everyPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      const { image } = container;
      if (image === undefined || hasDigest(image)) continue;
      const tag = tagOf(image);
      if (tag !== undefined && isWholeVersion(tag)) continue;
      yield {
        path: [...path, "image"],
        given: tag === undefined ? `is ${image}, which means latest` : `is ${image}`,
        allowed: "a digest, or a tag with the full version",
        fix: "Use the version that you tested.",
      };
    }
  },
);

const imagesHaveDigests = objectRule(
  { id: "image-has-a-digest", code: "reference", level: "disabled" },
  {
    title: "Images are referenced by digest",
    why: "A tag in a registry can be moved to another image.",
    source: "OCI distribution: tags are mutable, digests are not",
    fix: "Append @sha256: and the digest to the image.",
  },
  everyPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      const { image } = container;
      if (image === undefined || hasDigest(image)) continue;
      yield {
        path: [...path, "image"],
        given: `is ${image}`,
        allowed: "a digest",
        fix: "Append the digest.",
      };
    }
  },
);

const podsAreNotRoot = objectRule(
  { id: "pods-run-as-non-root", code: "conflict", level: "disabled" },
  {
    title: "Containers do not run as root",
    why: "A process that escapes from a root container is root on a node that also runs other teams' models.",
    source: "Pod Security Standards, Restricted: runAsNonRoot",
    fix: "Set securityContext.runAsNonRoot on the pod, with an image that allows it.",
  },
  everyPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      const own = container.securityContext;
      const ofPod = pods.spec.securityContext;
      const user = own?.runAsUser ?? ofPod?.runAsUser;
      const nonRoot = own?.runAsNonRoot ?? ofPod?.runAsNonRoot;
      if (user !== 0 && nonRoot === true) continue;
      yield {
        path: [...path, "securityContext", user === 0 ? "runAsUser" : "runAsNonRoot"],
        given: user === 0 ? "is 0" : nonRoot === undefined ? "is missing" : "is false",
        allowed: user === 0 ? "a user other than root" : "true",
        fix: "Set it on the pod or on the container.",
      };
    }
  },
);

/** Capabilities that serving needs: binding low ports, and locking memory for RDMA. */
const addable = ["NET_BIND_SERVICE", "IPC_LOCK"];

/**
 * Returns the checks of a level. For `baseline`, the checks of capabilities and privilege escalation are stricter than
 * upstream.
 */
function checksFor(level: PodSecurityLevel, requireExplicitDenial: boolean): PodSecurityCheck[] {
  const checks = [...checksOfLevel(level), mountsStayInPods];
  if (level === "restricted") return checks;
  const escalation = podSecurityChecks.filter(({ id }) => id === "allowPrivilegeEscalation");
  return [
    ...checks.map((check) =>
      check.id === "capabilities_baseline"
        ? {
            ...check,
            allows: (name: unknown) => addable.includes(String(name).replace(/^CAP_/, "")),
            allowed: addable.join(", "),
          }
        : check,
    ),
    ...escalation.map(({ required, ...check }) =>
      requireExplicitDenial && required !== undefined ? { ...check, required } : check,
    ),
  ];
}

const podsAreRestricted = objectRule(
  { id: "pods-are-restricted", code: "conflict", level: "advisory" },
  {
    title: "Containers have no more privileges than serving requires",
    why: "Privilege escalation, added capabilities, host paths and host namespaces give access beyond the pod.",
    source:
      "Pod Security Standards, Baseline and Restricted, of Kubernetes 1.36; IPC_LOCK for RDMA",
    fix: "Set allowPrivilegeEscalation: false, drop ALL capabilities, and use no host paths, ports or namespaces.",
    parameters: z.object({
      level: z
        .enum(podSecurityLevels)
        .default("baseline")
        .describe(
          "Level of the Pod Security Standards. `baseline` also rejects allowPrivilegeEscalation: true and capabilities other than NET_BIND_SERVICE and IPC_LOCK.",
        ),
      requireExplicitDenial: offByDefault(
        "Whether a container breaks the rule if it does not itself forbid privilege escalation.",
      ),
    }),
  },
  everyPodTemplate,
  function* (pods, { parameters: { level, requireExplicitDenial } }) {
    for (const check of checksFor(level, requireExplicitDenial)) yield* refusedBy(check, pods);
  },
);

const tokensOfPods = objectRule(
  { id: tokensAreInSecrets.id, code: tokensAreInSecrets.code, level: "advisory" },
  {
    ...tokensAreInSecrets,
    fix: "Store the token in a Secret, read it with valueFrom.secretKeyRef, and revoke the token.",
  },
  everyPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods))
      for (const finding of pastedTokens(container))
        yield { ...finding, path: [...path, ...finding.path] };
  },
);

const podsMountNoDefaultToken = objectRule(
  { id: "pods-mount-no-default-token", code: "conflict", level: "disabled" },
  {
    title: "Pods do not mount the token of the namespace's default ServiceAccount",
    why: "An engine does not call the API server. With the token, a program that takes over the engine has all permissions of this account.",
    source:
      "Kubernetes, configure service accounts for pods: opt out of API credential automounting",
    fix: "Set automountServiceAccountToken: false in the pod template, or name a ServiceAccount with the permissions that the pod needs.",
  },
  everyPodTemplate,
  function* ({ spec, path }) {
    const { automountServiceAccountToken, serviceAccountName = "default" } = spec as {
      automountServiceAccountToken?: unknown;
      serviceAccountName?: unknown;
    };
    if (automountServiceAccountToken === false || serviceAccountName !== "default") return;
    yield {
      path: [...path, "spec", "automountServiceAccountToken"],
      given: automountServiceAccountToken === undefined ? "is missing" : "is true",
      allowed: "false, or another ServiceAccount",
      fix: "Set it to false.",
    };
  },
);

export const supplyChainRules: readonly StackRule[] = [
  podsMountNoDefaultToken,
  imagesAreFixed,
  imagesHaveDigests,
  podsAreNotRoot,
  podsAreRestricted,
  tokensOfPods,
];
