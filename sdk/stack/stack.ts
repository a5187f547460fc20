import type { ZodType } from "zod";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { Path } from "../errors.ts";
import type { Finding } from "../invariant.ts";
import { valueAt } from "../schemas/value-at.ts";
import { configData, fillVariables } from "./config-variables.ts";
import { type Gang, gangsOf } from "./gangs.ts";
import { podTemplatePaths } from "./other-pod-templates.ts";
import { isRead, kindOf, podTemplate, shapeOf } from "./shapes.ts";
import type { StackObject } from "./stack-object.ts";
import { attempt, trackUnknownReads, UnknownValueError, unknownValue } from "./unknown-value.ts";
import {
  containersOf,
  type PodTemplateUse,
  podsOfTemplates,
  type Workload,
  workloadOf,
} from "./workloads.ts";

/** The objects of a stack, of any author and in any order. */
export interface Stack {
  readonly objects: readonly StackObject[];
  /** Objects as given, by their index in the stack. */
  readonly written: readonly unknown[];
  /** Objects that create pods. */
  readonly workloads: readonly Workload[];
  /**
   * Returns all workloads, for rules that need all of them. Throws `UnknownValueError` if an object could not be read.
   */
  readonly everyWorkload: () => readonly Workload[];
  /** Pods of templates in objects of other kinds, such as RayCluster and PodTemplate. */
  readonly otherPods: readonly PodTemplateUse[];
  /** Volcano's PodGroups with the pods that name them. */
  readonly gangs: readonly Gang[];
  /** Findings on objects with the wrong shape. Other rules do not check these objects. */
  readonly malformed: readonly Finding[];
  /** Paths of unknown values because of which an object that creates pods could not be read. */
  readonly undetermined: readonly Path[];
}

/**
 * Reads the objects that rules check.
 *
 * @param values manifests, with `unknownValue` for each value that is not known. An entry that is not a Kubernetes
 * object (`undefined`) keeps its index and is left out.
 */
export function readStack(values: readonly unknown[]): Stack {
  const objects: StackObject[] = [];
  const malformed: Finding[] = [];
  for (const [index, written] of values.entries()) {
    if (written === undefined) continue;
    const value = withNameToCome(written);
    const { apiVersion, kind } = (value ?? {}) as Record<string, unknown>;
    if (typeof apiVersion !== "string" || typeof kind !== "string") {
      malformed.push(notAnObject(index, typeof apiVersion === "string" ? "kind" : "apiVersion"));
      continue;
    }
    const object = { index, kind: kindOf({ apiVersion, kind }) };
    const problems = shapeProblems(value, object.kind, index);
    if (problems.length === 0)
      objects.push({ ...object, manifest: trackUnknownReads(value, [index]) as Manifest });
    // Files of tools, such as kustomization.yaml, have a kind but no name.
    else if (isRead(object.kind)) malformed.push(...problems);
  }
  const undetermined: Path[] = [];
  const workloads = objects.flatMap((object) => {
    const read = attempt(() => workloadOf(object));
    if ("unknown" in read) undetermined.push(read.unknown);
    return "unknown" in read || read.value === undefined ? [] : [read.value];
  });
  const otherPods = objects
    .filter((object) => !workloads.some((workload) => workload.object === object))
    .flatMap((object) => podsOfTemplates(object, readableTemplates(values[object.index])));
  const dataOf = configData(objects);
  for (const pods of [...workloads.flatMap((workload) => workload.pods), ...otherPods])
    attempt(() => {
      for (const { container } of containersOf(pods))
        fillVariables(container, pods.workload.namespace, dataOf);
    });
  const everyWorkload = () => {
    if (undetermined[0] !== undefined) throw new UnknownValueError(undetermined[0]);
    return workloads;
  };
  const gangs = gangsOf(objects, () => everyWorkload().flatMap(({ pods }) => pods));
  return {
    objects,
    written: values,
    workloads,
    everyWorkload,
    otherPods,
    gangs,
    malformed,
    undetermined,
  };
}

/** For generateName, the API server generates the name. */
function withNameToCome(value: unknown): unknown {
  const { metadata } = (value ?? {}) as { metadata?: Record<string, unknown> | null };
  if (metadata?.generateName === undefined || metadata.name !== undefined) return value;
  return { ...(value as object), metadata: { ...metadata, name: unknownValue } };
}

const notAnObject = (index: number, field: string): Finding => ({
  path: [index, field],
  given: "is missing",
  allowed: "a Kubernetes object with apiVersion and kind",
  fix: "Add apiVersion and kind.",
});

/** Returns the paths of the pod templates in an object. Values that only resemble a pod template are left out. */
const readableTemplates = (value: unknown): Path[] =>
  [...podTemplatePaths(value)].filter((path) => {
    const [issue] = shapeIssues(valueAt(value, path), podTemplate);
    return issue === undefined;
  });

function* shapeIssues(value: unknown, shape: ZodType) {
  const { error } = shape.safeParse(withoutNulls(value));
  for (const issue of error?.issues ?? []) {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    if (!leadsToUnknown(value, path)) yield { path, message: issue.message };
  }
}

function shapeProblems(value: unknown, kind: string, index: number): Finding[] {
  return Array.from(shapeIssues(value, shapeOf(kind)), ({ path, message }) => ({
    path: [index, ...path],
    given: describe(valueAt(value, path)),
    allowed: `a value that its kind accepts (${message})`,
    fix: "Correct the value; the API server would reject the object.",
  }));
}

const describe = (value: unknown) =>
  value === undefined || value === null ? "is missing" : `is ${brief(JSON.stringify(value))}`;

/** Returns the start of a long text. */
export const brief = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

/** The API server treats an explicit null as an absent field. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}

function leadsToUnknown(value: unknown, path: Path): boolean {
  return path.some((_, at) => valueAt(value, path.slice(0, at + 1)) === unknownValue);
}
