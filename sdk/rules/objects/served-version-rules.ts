import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { StackObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-routing");

const eachObject: Subjects<StackObject> = { of: ({ objects }) => objects, needsPods: false };

/** Versions of kinds that current releases no longer serve, each with the kind to use, by `apiVersion Kind`. */
const gone: Readonly<Record<string, string>> = {
  ...without(
    groups.inferenceExperimental,
    ["v1alpha2"],
    "InferenceModel",
    kinds.InferenceObjective,
  ),
  ...without(
    groups.llmInstanceGateway,
    ["v1alpha1", "v1alpha2"],
    "InferenceModel",
    kinds.InferenceObjective,
  ),
  ...without(
    groups.llmInstanceGateway,
    ["v1alpha1", "v1alpha2"],
    "InferencePool",
    kinds.InferencePool,
  ),
  ...without(groups.inference, ["v1alpha2"], "InferencePool", kinds.InferencePool),
  ...without(groups.leaderWorkerSet, ["v1alpha1"], "LeaderWorkerSet", kinds.LeaderWorkerSet),
  ...without(groups.gateway, ["v1alpha2"], "HTTPRoute", kinds.HTTPRoute),
  ...without(groups.gateway, ["v1alpha2"], "Gateway", kinds.Gateway),
  ...without(
    groups.autoscaling,
    ["v2beta1", "v2beta2"],
    "HorizontalPodAutoscaler",
    kinds.HorizontalPodAutoscaler,
  ),
  ...without(groups.policy, ["v1beta1"], "PodDisruptionBudget", kinds.PodDisruptionBudget),
  ...without(groups.apps, ["v1beta1", "v1beta2"], "Deployment", kinds.Deployment),
  ...without("extensions", ["v1beta1"], "Deployment", kinds.Deployment),
};

function without(
  group: string,
  versions: readonly string[],
  kind: string,
  successor: { readonly apiVersion: string; readonly kind: string },
): Record<string, string> {
  const use = `${successor.kind} of ${successor.apiVersion}`;
  return Object.fromEntries(versions.map((version) => [`${group}/${version} ${kind}`, use]));
}

const versionsAreServed = objectRule(
  { id: "versions-are-served", code: "reference", level: "advisory" },
  {
    title: "Objects have a version that clusters serve",
    why: "The API server has no resource for another version, and refuses the object.",
    source:
      "kubernetes.io, deprecated API migration guide; Gateway API inference extension 1.0: InferenceModel was replaced by InferenceObjective",
    fix: "Write the object in the version that the finding names.",
  },
  eachObject,
  function* ({ index, manifest: { apiVersion, kind } }) {
    const name = `${apiVersion} ${kind}`;
    if (!Object.hasOwn(gone, name)) return;
    yield {
      path: [index, "apiVersion"],
      given: `is ${apiVersion}, in which current clusters do not serve ${kind}`,
      allowed: gone[name] ?? "",
      fix: `Write it as ${gone[name]}.`,
    };
  },
);

export const servedVersionRules: readonly StackRule[] = [versionsAreServed];
