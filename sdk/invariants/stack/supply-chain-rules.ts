import { z } from "zod";
import { containersOf } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-supply-chain");

const tagOf = (image: string) => /:([\w][\w.-]*)$/.exec(image)?.[1];
const hasDigest = (image: string) => /@sha256:[0-9a-f]{64}$/.test(image);

/** A version down to its patch, or a name that holds a whole commit. */
const isWholeVersion = (tag: string) =>
  /^v?\d+\.\d+\.\d+([-+._]?[\w.-]*)?$/.test(tag) || /(^|[-_.])[0-9a-f]{40}$/.test(tag);

const imagesAreFixed = objectRule(
  { id: "image-tag-is-fixed", guidelines: ["G32"], code: "reference", level: "advisory" },
  {
    title: "Images are named by digest or whole version, never by latest",
    why: "A moving tag gives pods of one group different engines after a restart.",
    source: "k8s.io docs, Container Images: avoid :latest; Grove GREP-393",
    fix: "Name a digest, or a tag with the whole version such as v0.11.0.",
  },
  eachPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      const { image } = container;
      if (image === undefined || hasDigest(image)) continue;
      const tag = tagOf(image);
      if (tag !== undefined && isWholeVersion(tag)) continue;
      yield {
        path: [...path, "image"],
        given: tag === undefined ? `is ${image}, which means latest` : `is ${image}`,
        allowed: "a digest, or a tag with the whole version",
        fix: "Name the version that was tested.",
      };
    }
  },
);

const imagesHaveDigests = objectRule(
  { id: "image-has-a-digest", guidelines: [], code: "reference", level: "disabled" },
  {
    title: "Images are named by digest",
    why: "A registry can put another image behind a tag.",
    source: "OCI distribution: tags are mutable, digests are not",
    fix: "Append @sha256: and the digest to the image.",
  },
  eachPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      const { image } = container;
      if (image === undefined || hasDigest(image)) continue;
      yield {
        path: [...path, "image"],
        given: `is ${image}`,
        allowed: "a digest",
        fix: "Append it.",
      };
    }
  },
);

const podsAreNotRoot = objectRule(
  { id: "pods-run-as-non-root", guidelines: [], code: "conflict", level: "disabled" },
  {
    title: "Containers do not run as root",
    why: "Whoever breaks out of the engine is root on a node with everyone's models.",
    source: "Pod Security Standards, Restricted: runAsNonRoot",
    fix: "Set securityContext.runAsNonRoot on the pod, with an image that allows it.",
  },
  eachPodTemplate,
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
        allowed: user === 0 ? "another user than root" : "true",
        fix: "Set it on the pod or on the container.",
      };
    }
  },
);

/** What the Restricted profile lets a container add. RDMA needs to lock memory. */
const addable = new Set(["NET_BIND_SERVICE", "IPC_LOCK"]);

const podsAreRestricted = objectRule(
  { id: "pods-are-restricted", guidelines: [], code: "conflict", level: "advisory" },
  {
    title: "Containers have no more rights than serving takes",
    why: "Escalation, added capabilities and the host's namespaces reach beyond the pod.",
    source: "Pod Security Standards, Baseline and Restricted; IPC_LOCK for RDMA",
    fix: "Set allowPrivilegeEscalation false, drop ALL capabilities, and leave host namespaces alone.",
    parameters: z.object({
      judgeSilence: z
        .boolean()
        .default(false)
        .describe("Whether a container breaks the rule that does not forbid escalation itself."),
    }),
  },
  eachPodTemplate,
  function* (pods, { parameters: { judgeSilence } }) {
    const { spec, path: template } = pods;
    for (const field of ["hostNetwork", "hostIPC", "hostPID"] as const) {
      if (spec[field] !== true) continue;
      yield {
        path: [...template, "spec", field],
        given: "is true",
        allowed: "false",
        fix:
          field === "hostNetwork"
            ? "Remove it if the pod has its RDMA devices by a second network; otherwise keep it with dnsPolicy: ClusterFirstWithHostNet, and accept this warning."
            : "Remove it.",
      };
    }
    for (const { container, path } of containersOf(pods)) {
      const at = [...path, "securityContext"];
      const { privileged, allowPrivilegeEscalation, capabilities } =
        container.securityContext ?? {};
      if (privileged === true)
        yield {
          path: [...at, "privileged"],
          given: "is true",
          allowed: "false",
          fix: "Remove it.",
        };
      if (allowPrivilegeEscalation === true || (judgeSilence && allowPrivilegeEscalation !== false))
        yield {
          path: [...at, "allowPrivilegeEscalation"],
          given: allowPrivilegeEscalation === true ? "is true" : "is missing",
          allowed: "false",
          fix: "Set it to false.",
        };
      for (const name of capabilities?.add ?? []) {
        if (addable.has(name.replace(/^CAP_/, ""))) continue;
        yield {
          path: [...at, "capabilities", "add"],
          given: `has ${name}`,
          allowed: [...addable].join(", "),
          fix: "Remove it.",
        };
      }
    }
  },
);

export const supplyChainRules: readonly StackRule[] = [
  imagesAreFixed,
  imagesHaveDigests,
  podsAreNotRoot,
  podsAreRestricted,
];
