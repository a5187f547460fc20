import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import { prerequisites } from "../../sdk/platform/prerequisites.ts";
import { type CheckResult, forbidden, ok } from "./check-result.ts";
import type { ClusterObservation, Crd, SchemaNode } from "./observation.ts";

interface NeededCrd {
  readonly name: string;
  /** Kind and version in plans. */
  readonly kind: string;
  readonly version: string;
  readonly level: "error" | "warning";
  /** The feature that needs the kind. */
  readonly use: string;
  /** Fields that plans set but older releases drop, as dotted paths below the schema. */
  readonly fields?: readonly string[];
  /** A value that plans set but older releases refuse, with the path of its field. */
  readonly value?: { readonly field: string; readonly value: string };
  readonly fix: string;
}

const installLws = prerequisites.leaderWorkerSet.install;
export const installVolcano = prerequisites.volcano.install;
const installGatewayApi = prerequisites.gatewayApi.install;
const installInferencePool = prerequisites.inferenceExtension.install;

/** The way out for a cluster without Volcano is part of the finding, because the fix installs it. */
const gangs =
  "gangs; a service with schedulingStrategy.gang.layout: none has no gang and needs no Volcano";

const neededKind = ({ group, version, kind, plural }: KindFacts) => ({
  name: `${plural}.${group}`,
  kind,
  version,
});

export const neededCrds: readonly NeededCrd[] = [
  {
    ...neededKind(kinds.LeaderWorkerSet),
    level: "error",
    use: "every role that runs an engine",
    value: { field: "spec.leaderWorkerTemplate.restartPolicy", value: "RecreateGroupAfterStart" },
    fix: installLws,
  },
  {
    ...neededKind(kinds.PodGroup),
    level: "error",
    use: gangs,
    fields: ["spec.subGroupPolicy.matchLabelKeys", "spec.subGroupPolicy.minSubGroups"],
    fix: installVolcano,
  },
  {
    ...neededKind(kinds.Queue),
    level: "error",
    use: gangs,
    fix: installVolcano,
  },
  {
    ...neededKind(kinds.InferencePool),
    level: "error",
    use: "routers",
    fix: installInferencePool,
  },
  {
    ...neededKind(kinds.HTTPRoute),
    level: "error",
    use: "routers with routes",
    fix: installGatewayApi,
  },
  {
    ...neededKind(kinds.Gateway),
    level: "warning",
    use: "routers that create a gateway",
    fix: installGatewayApi,
  },
  {
    ...neededKind(kinds.ScaledObject),
    level: "warning",
    use: "autoscaling, unless its scaler is hpa",
    fix: prerequisites.keda.install,
  },
];

export function checkCrds({ crds }: ClusterObservation): CheckResult[] {
  return neededCrds.map((needed) => checkCrd(needed, crds));
}

function checkCrd(needed: NeededCrd, crds: ClusterObservation["crds"]): CheckResult {
  const { name, kind, version, level, use, fix } = needed;
  const check = `crd-${kind.toLowerCase()}`;
  const seen = crds[name] ?? { state: "absent" };
  if (seen.state === "forbidden") return forbidden(check, `CustomResourceDefinition ${name}`, seen);
  if (seen.state === "absent") {
    return {
      check,
      level,
      title: `${kind} ${version} is not installed`,
      seen: `missing CustomResourceDefinition ${name}; needed for ${use}`,
      fix,
    };
  }
  const fault = faultOf(seen.value, needed);
  return fault === undefined
    ? ok(check, `${kind} ${version} is served`)
    : { check, level, ...fault };
}

function faultOf(crd: Crd, needed: NeededCrd): Omit<CheckResult, "check" | "level"> | undefined {
  const { name, kind, version, fields = [], value, fix } = needed;
  const served = crd.spec.versions.filter((each) => each.served);
  const found = served.find((each) => each.name === version);
  if (found === undefined) {
    return {
      title: `${kind} ${version} is not served`,
      seen: `${name} serves ${served.map((each) => each.name).join(", ") || "no version"}`,
      fix,
    };
  }
  const established = crd.status?.conditions?.find(({ type }) => type === "Established");
  if (established?.status !== "True") {
    return {
      title: `${kind} ${version} is not ready`,
      seen: `${name} is not Established`,
      fix: `kubectl describe crd ${name}`,
    };
  }
  const schema = found.schema?.openAPIV3Schema;
  if (value !== undefined && fieldAt(schema, value.field)?.enum?.includes(value.value) === false)
    return {
      title: `${kind} ${version} does not accept ${value.value}`,
      seen: `${name} is from an older release: the API server rejects roles with several nodes, whose ${value.field} is ${value.value}`,
      fix,
    };
  const missing = fields.filter((field) => fieldAt(schema, field) === undefined);
  if (missing.length === 0) return undefined;
  return {
    title: `${kind} ${version} lacks ${missing.join(" and ")}`,
    seen: `${name} is from an older release: the API server drops these fields, and gangs do not start`,
    fix,
  };
}

function fieldAt(schema: SchemaNode | undefined, path: string): SchemaNode | undefined {
  let at = schema;
  for (const step of path.split(".")) at = (at?.items ?? at)?.properties?.[step];
  return at;
}
