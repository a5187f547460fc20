import { z } from "zod";
import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { isSidecarPort } from "../../engines/containers/containers.ts";
import { loadedModel } from "../../engines/containers/served-models.ts";
import { givenModel, givenModels } from "../../engines/models/given-models.ts";
import { engineFaults } from "../../engines/start-up/engine-faults.ts";
import type { Container } from "../../schemas/pod-template.ts";
import type { ClaimShape } from "../../stack/shapes.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { containersOf, engineOfPods, type PodTemplateUse } from "../../stack/workloads.ts";
import {
  eachPodTemplate,
  eachWorkload,
  everyPodTemplate,
  rulesOfPack,
  type StackRule,
  type Subjects,
} from "../helpers/stack-rule.ts";
import { containersHaveAnImage, missingImages } from "../spec/container-images.ts";
import { misplacedProbes, probesAskTheServer } from "../spec/engine-probes.ts";
import { enginesStart } from "../spec/engine-start-up.ts";
import { dnsOnHost, hostNetworkResolvesNames, unresolvedNames } from "../spec/host-network.ts";

const { objectRule, stackRule } = rulesOfPack("inference-gpu");

const eachClaim: Subjects<TypedObject<ClaimShape>> = {
  of: (stack) => specsOf<ClaimShape>(stack, "/PersistentVolumeClaim"),
  needsPods: false,
};

const oneNode = "ReadWriteOnce";
const onePod = "ReadWriteOncePod";

const claimsReachEveryNode = stackRule(
  { id: "claims-reach-every-node", code: "conflict", level: "advisory" },
  {
    title: "A claim that several pods mount can be attached to several nodes",
    why: "The volume is attached to one node. Pods on other nodes, and their groups, wait for it forever.",
    source: "k8s.io/kubernetes, PersistentVolume access modes",
    fix: "Use a storage class with ReadOnlyMany or ReadWriteMany, give each pod its own copy of the files (plugin model-cache, or volumeClaimTemplates of a StatefulSet), or pin the pods to one node.",
  },
  eachClaim,
  function* ({ path, name, namespace, spec: { accessModes = [] } }, { stack }) {
    if (accessModes.length === 0 || accessModes.some((mode) => mode !== oneNode && mode !== onePod))
      return;
    const isOnePod = accessModes.includes(onePod);
    const users = stack
      .everyWorkload()
      .filter((workload) => workload.namespace === namespace)
      .flatMap(({ pods }) => pods)
      .filter((pods) => mounts(pods, name) && (isOnePod || !isPinned(pods)));
    const count = users.reduce((sum, pods) => sum + concurrentPods(pods), 0);
    if (count < 2) return;
    const who = [...new Set(users.map(({ workload }) => nameOfWorkload(workload)))].join(" and ");
    yield {
      path: [...path, "accessModes"],
      given: `is ${accessModes.join(", ")}, but several pods of ${who} mount the claim`,
      allowed: isOnePod ? "one pod" : "ReadOnlyMany, ReadWriteMany, or pods on one node",
      fix: "Change the access mode and the storage class, or give each pod its own copy.",
    };
  },
);

const mounts = ({ spec }: PodTemplateUse, claim: string): boolean =>
  (spec.volumes ?? []).some(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim,
  );

/** Reports whether all pods of a template run on the same node. */
const isPinned = ({ spec: { nodeName, nodeSelector } }: PodTemplateUse): boolean =>
  nodeName !== undefined || nodeSelector?.["kubernetes.io/hostname"] !== undefined;

/**
 * Returns the number of pods that run concurrently. A Job with one pod counts as 0, because it has finished with its
 * files when the next program starts.
 */
function concurrentPods({ count, workload: { object } }: PodTemplateUse): number {
  if (object.kind === "apps/DaemonSet") return 2;
  return object.kind.startsWith("batch/") && count < 2 ? 0 : count;
}

const nameOfWorkload = ({ object, name }: PodTemplateUse["workload"]) =>
  `${object.manifest.kind} ${name}`;

const namesResolve = objectRule(
  { id: hostNetworkResolvesNames.id, code: hostNetworkResolvesNames.code },
  { ...hostNetworkResolvesNames, fix: `Set dnsPolicy: ${dnsOnHost} in the pod template.` },
  eachPodTemplate,
  function* (pods) {
    const problem = needsNames(pods) ? unresolvedNames(pods.spec) : undefined;
    if (problem !== undefined) yield { path: [...pods.path, "spec", "dnsPolicy"], ...problem };
  },
  function* (pods) {
    // An explicit policy may be intended, so it is not edited.
    const isWritten = pods.spec.dnsPolicy !== undefined;
    if (!isWritten && needsNames(pods) && unresolvedNames(pods.spec) !== undefined)
      yield { path: [...pods.path, "spec", "dnsPolicy"], value: dnsOnHost };
  },
);

/**
 * Reports whether pods resolve cluster names: the pods of a group resolve their leader, and other pods may name a
 * Service.
 */
const needsNames = (pods: PodTemplateUse): boolean =>
  (pods.workload.set !== undefined && pods.workload.size > 1) ||
  containersOf(pods).some(({ container: { command = [], args = [], env = [] } }) =>
    [...command, ...args, ...env.map(({ value = "" }) => value)].some((text) =>
      /\.svc(\.|[:/"'\s]|$)/.test(text),
    ),
  );

const probesOfEngines = objectRule(
  { id: probesAskTheServer.id, guidelines: ["G23"], code: probesAskTheServer.code },
  {
    ...probesAskTheServer,
    fix: "Set the probe's port to the port on which the engine serves, and its path to the engine's health path.",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = pods.isWorker ? undefined : engineOfPods(pods);
    if (engine === undefined) return;
    const isForwarded = (port: number) => isSidecarPort(pods.spec, port);
    for (const finding of misplacedProbes(engine.container as Container, isForwarded))
      yield { ...finding, path: [...engine.path, ...finding.path] };
  },
);

const enginesOfStacksStart = objectRule(
  { id: enginesStart.id, guidelines: ["G03"], code: enginesStart.code, level: "advisory" },
  {
    ...enginesStart,
    fix: "Change the arguments, the image or the accelerator as the finding describes.",
    parameters: z.object({ models: givenModels }),
  },
  eachWorkload,
  function* ({ pods: [leader], size, accelerators }, { parameters: { models } }) {
    const engine = leader && engineOfPods(leader);
    if (leader === undefined || engine === undefined) return;
    const path = [...engine.path, argumentsField(engine.container)];
    const model = givenModel(models, loadedModel(engine.container));
    const context = { pods: size, named: accelerators, model };
    // Another rule, with parameters, checks the loading time.
    for (const { kind, ...fault } of engineFaults(engine.container, leader.spec, context))
      if (kind !== "loading-time") yield { path, ...fault };
  },
);

const imagesOfContainers = objectRule(
  { id: containersHaveAnImage.id, code: containersHaveAnImage.code },
  { ...containersHaveAnImage, fix: "Set the image, or the name of the container that you mean." },
  everyPodTemplate,
  function* ({ spec, path }) {
    yield* missingImages(spec, [...path, "spec"]);
  },
);

/** Rules on the requirements of pods to start on their nodes, and to become ready only when they serve. */
export const startRules: readonly StackRule[] = [
  claimsReachEveryNode,
  namesResolve,
  probesOfEngines,
  enginesOfStacksStart,
  imagesOfContainers,
];
