import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { type Fields, isMap } from "../../kubernetes/values/records.ts";
import { annotation, label } from "../names.ts";
import type { InferenceService } from "../spec/inference-service.ts";
import { inferenceServiceKind } from "../spec/inference-service-manifest.ts";
import { annotated, objectMeta } from "./object-meta.ts";

/**
 * `full`: the cluster has this project's schema. `extensions`: the cluster has the schema of FusionInfer's operator,
 * and fields that it does not contain are stored as JSON in the annotation `pulumi-inference/extensions`.
 */
export const statusObjectModes = ["full", "extensions"] as const;
export type StatusObjectMode = (typeof statusObjectModes)[number];

/**
 * Returns the service as an object of its own kind. If only this project runs in the cluster, no controller creates
 * objects from it. It holds the status, and the spec that the status refers to.
 */
export function planStatusObject(
  { metadata, spec }: InferenceService,
  mode: StatusObjectMode,
): Manifest {
  const meta = objectMeta({ metadata, owner: { [label.service]: metadata.name } }, metadata.name);
  if (mode === "full") return { ...inferenceServiceKind, metadata: meta, spec: { ...spec } };
  const { known, extensions } = splitByDesign(spec);
  return {
    ...inferenceServiceKind,
    metadata: annotated(meta, { [annotation.extensions]: JSON.stringify(extensions) }),
    spec: known,
  };
}

/** Fields of the InferenceService design (`InferenceServiceSpec`, `Role`, `Multinode`, `SchedulingStrategy`). */
const designed = {
  role: new Set([
    "name",
    "componentType",
    "replicas",
    "strategy",
    "httproute",
    "gateway",
    "endpointPickerConfig",
    "template",
  ]),
  multinode: new Set(["nodeCount"]),
  schedulingStrategy: new Set(["schedulerName"]),
};

/** Splits a spec into the fields of the design and all other fields. Both parts list the roles in their order. */
function splitByDesign({ roles, schedulingStrategy, ...rest }: InferenceService["spec"]) {
  const strategy = split(schedulingStrategy, designed.schedulingStrategy);
  const parts = roles.map((role) => {
    const { multinode, ...fields } = role as Fields & { multinode?: Fields };
    const { known, others } = split(fields, designed.role);
    if (multinode === undefined) return { known, others };
    const nodes = split(multinode, designed.multinode);
    return {
      known: { ...known, multinode: nodes.known },
      others: { ...others, multinode: nodes.others },
    };
  });
  return {
    known: { roles: parts.map(({ known }) => known), schedulingStrategy: strategy.known },
    extensions: {
      ...rest,
      roles: parts.map(({ others }) => others),
      schedulingStrategy: strategy.others,
    },
  };
}

function split(fields: Fields, names: ReadonlySet<string>) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    known: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    others: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

/** Reverses `splitByDesign`: returns the spec with the extensions merged back. */
export function withExtensions(spec: unknown, extensions: unknown): unknown {
  if (!isMap(spec) || !isMap(extensions)) return extensions ?? spec;
  const merged: Record<string, unknown> = { ...spec };
  for (const [name, value] of Object.entries(extensions)) {
    const own = spec[name];
    merged[name] =
      Array.isArray(own) && Array.isArray(value)
        ? own.map((entry, at) => withExtensions(entry, value[at]))
        : withExtensions(own, value);
  }
  return merged;
}
