import { z } from "zod";
import { present } from "../../kubernetes/values/present.ts";
import { defaultExecutorOf, isMultiNode } from "../engines/containers/executor.ts";
import { type Path, type Problem, SpecError } from "../errors.ts";
import { violations } from "../invariant.ts";
import { builtInSupport, type PodPluginSupport } from "../plugins/registry.ts";
import { type PartialRole, type PartialSpec, withLayouts } from "../rules/helpers/partial-spec.ts";
import type { RawSpec } from "../rules/helpers/raw-spec.ts";
import { inferenceServiceRules } from "../rules/spec/index.ts";
import { ownModelRules } from "../rules/spec/own-models.ts";
import type { WrittenPlugins } from "../rules/spec/pod-plugins.ts";
import type { PodTemplate } from "../schemas/pod-template.ts";
import { shapeProblems, withMisspellingsOnce } from "../schemas/shape-problems.ts";
import {
  type InferenceService,
  InferenceServiceSpec,
  Metadata,
} from "../spec/inference-service.ts";
import { type InferenceRole, isComponentType, isInferenceRole, Role } from "../spec/role.ts";
import { withFirstPort } from "../topology/pool-ports.ts";
import { misplacedOutputs, mustBePlain, parsedAround } from "./outputs.ts";
import { podPluginProblems } from "./pod-plugins.ts";
import { readableRole } from "./readable-role.ts";
import { visitDeferred } from "./visit-deferred.ts";
import { withTemplates } from "./with-templates.ts";

/**
 * Validates a service and fills in its defaults.
 *
 * @param input `{ metadata: { name, namespace?, labels?, annotations? }, spec }`
 * @param podPlugins plugins that the spec may use. Default: the built-in ones.
 * @throws SpecError with every problem of the spec: shapes, values that are not known yet, and broken rules.
 */
export function parseInferenceService(
  input: unknown,
  podPlugins: PodPluginSupport = builtInSupport,
): InferenceService {
  const { metadata, spec: written } = (input ?? {}) as { metadata?: unknown; spec?: unknown };
  const { spec, problems: refusals, unmade } = withTemplates(written);
  // Without the template of one role, the planned arguments of the others may lack their counterpart.
  const isUnmade = ({ path }: Problem) =>
    path[0] === "roles" &&
    path[2] === "template" &&
    (unmade.includes(path[1] as number) || (unmade.length > 0 && path.at(-1) === "args"));
  const problems = distinct([
    ...refusals,
    ...problemsOf(metadata, spec, podPlugins).filter((problem) => !isUnmade(problem)),
  ]);
  if (problems.length > 0) throw new SpecError(nameInMetadata(metadata), problems);
  return { metadata: Metadata.parse(metadata), spec: parseSpec(spec) };
}

/**
 * Returns the spec with defaults. Templates keep the author's key order. An empty list of plugins counts as no list,
 * so that it changes nothing.
 */
function parseSpec(written: unknown): InferenceServiceSpec {
  const spec = withoutEmptyPlugins(parsedAround(InferenceServiceSpec, written));
  const { roles } = written as { roles: Array<{ template: PodTemplate }> };
  return {
    ...spec,
    roles: spec.roles.map((role, at) =>
      isInferenceRole(role)
        ? withoutEmptyPlugins(
            withExecutor({ ...role, template: roles[at]?.template ?? role.template }),
          )
        : withFirstPort(role),
    ),
  };
}

/** Returns the role with its executor, which its template determines if the role names none. */
function withExecutor(role: InferenceRole): InferenceRole {
  const { multinode } = role;
  if (multinode === undefined) return role;
  const { nodeCount, executor = defaultExecutorOf(role), ...rest } = multinode;
  return { ...role, multinode: { nodeCount, ...present({ executor }), ...rest } };
}

function withoutEmptyPlugins<T extends { plugins?: readonly unknown[] | undefined }>(value: T): T {
  if (value.plugins?.length !== 0) return value;
  const { plugins: _none, ...rest } = value;
  return rest as T;
}

function problemsOf(metadata: unknown, spec: unknown, podPlugins: PodPluginSupport): Problem[] {
  const unknownValues = misplacedOutputs(InferenceServiceSpec, spec);
  visitDeferred(metadata, ["metadata"], (path) => unknownValues.push(mustBePlain(path)));
  const partial = partialSpecOf(metadata, spec, unknownValues);
  return withMisspellingsOnce(
    distinct([
      ...shapeProblems(z.object({ metadata: Metadata }), { metadata }),
      ...unknownValues,
      ...shapeProblems(InferenceServiceSpec, spec),
      ...problemsOfUntypedRoles(spec),
      ...violations(inferenceServiceRules, partial),
      ...violations(ownModelRules, writtenOf(metadata, spec)),
      ...podPluginProblems(writtenPlugins(spec, partial, podPlugins)),
    ]),
  );
}

/** Returns the service's plugins, then the plugins of each role, as written. */
function writtenPlugins(
  spec: unknown,
  partial: PartialSpec,
  support: PodPluginSupport,
): WrittenPlugins {
  const { plugins, roles } = (spec ?? {}) as Record<string, unknown>;
  const written: unknown[] = Array.isArray(roles) ? roles : [];
  const engines = partial.roles.filter(({ componentType }) => componentType !== "router");
  return {
    support,
    lists: [
      { path: ["plugins"], entries: plugins },
      ...engines.map(({ index, name }) => ({
        path: ["roles", index, "plugins"],
        role: textOr(name, "role"),
        entries: (written[index] as { plugins?: unknown } | null)?.plugins,
      })),
    ],
    roles: engines.map(({ name, role }) => ({
      name: textOr(name, "role"),
      // A malformed role may have workers.
      hasWorkers: role === undefined || (isInferenceRole(role) && isMultiNode(role)),
    })),
  };
}

/** Returns a string, or a default for an Output. */
const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" ? value : otherwise;

const writtenOf = (metadata: unknown, spec: unknown): RawSpec => ({
  metadata: (metadata ?? {}) as RawSpec["metadata"],
  spec: (spec ?? {}) as RawSpec["spec"],
});

/** Reads a role with an unknown type as a worker, so that a wrong type does not hide further problems. */
function problemsOfUntypedRoles(spec: unknown): Problem[] {
  const { roles } = (spec ?? {}) as { roles?: unknown };
  if (!Array.isArray(roles)) return [];
  return roles.flatMap((role: { componentType?: unknown; template?: unknown } | null, at) => {
    if (role?.template === undefined || isComponentType(role.componentType)) return [];
    return shapeProblems(Role, { ...role, componentType: "worker" }).map((problem) => ({
      ...problem,
      path: ["roles", at, ...problem.path],
    }));
  });
}

/** Returns the readable parts of a service. Malformed parts are omitted or get their defaults. */
function partialSpecOf(
  metadata: unknown,
  spec: unknown,
  unknownValues: readonly Problem[],
): PartialSpec {
  const named = Metadata.safeParse(metadata).data;
  const written = (spec ?? {}) as Record<string, unknown>;
  const { roles, workload, autoscaling, rollout, schedulingStrategy, plugins } = written;
  const { shape } = InferenceServiceSpec;
  return withLayouts({
    name: named?.name ?? "service",
    namespace: named?.namespace ?? "default",
    labels: named?.labels ?? {},
    roles: Array.isArray(roles)
      ? roles.map((role, index) =>
          partialRole(role, index, inRole(unknownValues, index), isFilled(plugins)),
        )
      : [],
    workload: shape.workload.safeParse(workload).data ?? "auto",
    autoscaling: shape.autoscaling.safeParse(autoscaling).data,
    rollout: shape.rollout.safeParse(rollout).data,
    schedulingStrategy:
      shape.schedulingStrategy.safeParse(schedulingStrategy).data ??
      shape.schedulingStrategy.parse(undefined),
    accelerators: shape.accelerators.safeParse(written.accelerators).data ?? [],
    accelerator: shape.accelerator.safeParse(written.accelerator).data,
    nodes: shape.nodes.safeParse(written.nodes).data,
  });
}

function partialRole(
  written: unknown,
  index: number,
  refused: readonly Path[],
  serviceHasPlugins: boolean,
): PartialRole {
  const { name, componentType, plugins } = (written ?? {}) as Record<string, unknown>;
  const role = readableRole(written, refused);
  const hasPlugins = serviceHasPlugins || isFilled(plugins);
  return {
    index,
    name,
    componentType,
    hasPlugins,
    ...(role === undefined ? {} : { role: withFirstPort(role) }),
  };
}

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;

/** Returns the paths of problems in one role, relative to the role. */
const inRole = (problems: readonly Problem[], index: number): Path[] =>
  problems
    .filter(({ path: [field, at] }) => field === "roles" && at === index)
    .map(({ path }) => path.slice(2));

function nameInMetadata(metadata: unknown): string {
  const { name, namespace } = (metadata ?? {}) as { name?: unknown; namespace?: unknown };
  const place = typeof namespace === "string" ? ` in namespace ${namespace}` : "";
  return typeof name === "string" ? `InferenceService "${name}"${place}` : "InferenceService";
}

/** Removes problems with the same path and text, and keeps the order. */
function distinct(problems: readonly Problem[]): Problem[] {
  const seen = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...seen.values()];
}
