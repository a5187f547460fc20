import { type LostName, lostInWords } from "../routing/registrations.ts";
import { type Condition, conditionsOf, listed, type Moment } from "./conditions.ts";
import type {
  MissingTarget,
  ObservedObjective,
  PickerReading,
  ServiceReport,
} from "./picker-report.ts";
import { type PodReadiness, podsInWords } from "./pod-obstacle.ts";
import { type LLMServiceFinding, llmServiceReasons } from "./reasons.ts";
import type { LLMServiceStatus } from "./schemas.ts";

/** The state of a service on one of its pools. */
export interface PoolBinding {
  /** Namespace of the InferencePool. */
  readonly namespace: string;
  readonly name: string;
  readonly exists: boolean;
  /** Whether the pool admits services in this service's namespace. */
  readonly admits: boolean;
  /** Names that the service did not get on the pool. */
  readonly lost: readonly LostName[];
  /** Pods of the pool; undefined if they could not be read. */
  readonly pods: readonly PodReadiness[] | undefined;
  /** Undefined if the pickers have not been polled yet. */
  readonly reading: PickerReading | undefined;
}

export interface LLMServiceView {
  /** `namespace/name` */
  readonly service: string;
  readonly models: readonly string[];
  /** Whether a model has an objective. */
  readonly hasObjectives: boolean;
  readonly pools: readonly PoolBinding[];
  /** Problems with parsing the object. */
  readonly problems: readonly string[];
  /** Reason that the other fields are out of date. */
  readonly stale: string | undefined;
}

type Accepted = Extract<LLMServiceFinding, { type: "Accepted" }>;

/** Computes the status of an LLMService on its pools. Like `statusOf`, it depends only on its arguments. */
export function llmServiceStatus(
  view: LLMServiceView,
  previous: LLMServiceStatus | undefined,
  moment: Moment,
): LLMServiceStatus {
  const bindings = view.pools.map((pool) => ({ ...pool, accepted: acceptedBy(pool, view) }));
  const serving = bindings.filter(
    ({ exists, admits, lost }) => exists && admits && lost.length < view.models.length,
  );
  const observed = [...(view.hasObjectives ? [objectiveMet(serving)] : []), targetsServed(serving)];
  const wereAsked = serving.every(({ reading }) => reading !== undefined);
  const findings = [
    acceptedByAll(view, bindings),
    ...(wereAsked ? observed : observed.map((finding) => asBefore(finding, previous?.conditions))),
  ];
  return {
    ...(moment.generation === undefined ? {} : { observedGeneration: moment.generation }),
    conditions: conditionsOf(llmServiceReasons, findings, previous?.conditions, moment),
    pools: bindings.map(({ namespace, name, accepted }) => ({
      namespace,
      name,
      conditions: conditionsOf(
        llmServiceReasons,
        [accepted],
        previous?.pools?.find((pool) => pool.namespace === namespace && pool.name === name)
          ?.conditions,
        moment,
      ),
    })),
  };
}

/** Keeps the previous condition: a controller that has just started has not polled the pickers yet. */
function asBefore(
  finding: LLMServiceFinding,
  conditions: readonly Condition[] | undefined,
): LLMServiceFinding {
  const before = conditions?.find(({ type }) => type === finding.type);
  return before === undefined ? finding : (before as LLMServiceFinding);
}

function acceptedBy(
  { namespace, name, exists, admits, lost }: PoolBinding,
  { service, stale }: LLMServiceView,
): Accepted {
  const type = "Accepted";
  const pool = `InferencePool ${namespace}/${name}`;
  if (stale !== undefined) return { type, status: "Unknown", reason: "StaleCache", message: stale };
  if (!exists)
    return { type, status: "False", reason: "PoolNotFound", message: `${pool} does not exist` };
  if (!admits) {
    const message = `${pool} does not admit namespace ${service.split("/")[0]}; its owner can add it to allowedNamespaces of the LLMServerPool`;
    return { type, status: "False", reason: "NamespaceNotAllowed", message };
  }
  if (lost.length > 0) {
    const reason = lost.every(({ why }) => why === "taken") ? "NameTaken" : "NameNotAllowed";
    const names = lost.map((name) => `${name.model} ${lostInWords(name)}`);
    return { type, status: "False", reason, message: listed(names) };
  }
  return { type, status: "True", reason: "Accepted", message: "every model is registered" };
}

/** Summarizes all pools: the reason is from the first pool that refuses, and the message lists all of these pools. */
function acceptedByAll(
  { problems, pools, stale }: LLMServiceView,
  bindings: ReadonlyArray<PoolBinding & { readonly accepted: Accepted }>,
): Accepted {
  const type = "Accepted";
  if (stale !== undefined) return { type, status: "Unknown", reason: "StaleCache", message: stale };
  if (problems.length > 0)
    return { type, status: "False", reason: "InvalidSpec", message: problems.join("; ") };
  const refusing = bindings.filter(({ accepted }) => accepted.status !== "True");
  const first = refusing[0]?.accepted;
  if (first === undefined)
    return {
      type,
      status: "True",
      reason: "Accepted",
      message: `every model is registered on ${listed(pools.map(({ namespace, name }) => `${namespace}/${name}`))}`,
    };
  const message = refusing
    .map(({ namespace, name, accepted }) => `${namespace}/${name}: ${accepted.message}`)
    .join("; ");
  return { ...first, message };
}

interface Reported {
  readonly pool: string;
  readonly report: ServiceReport;
}

/** Returns the reports of the pools' pickers, or the reason that there are none. */
function reportsOf(serving: readonly PoolBinding[]):
  | { readonly reported: readonly Reported[]; readonly unread?: never }
  | {
      readonly reported?: never;
      readonly unread: { reason: "NotServed" | "MetricsUnavailable"; message: string };
    } {
  if (serving.length === 0)
    return { unread: { reason: "NotServed", message: "no pool serves a model of the service" } };
  const reported = serving.flatMap(({ namespace, name, reading }) =>
    reading?.report === undefined ? [] : [{ pool: `${namespace}/${name}`, report: reading.report }],
  );
  if (reported.length > 0) return { reported };
  const problems = serving.map(
    ({ namespace, name, reading }) =>
      `pool ${namespace}/${name}: ${reading?.problem ?? "its picker has not been queried yet"}`,
  );
  return { unread: { reason: "MetricsUnavailable", message: listed(problems) } };
}

function objectiveMet(serving: readonly PoolBinding[]): LLMServiceFinding {
  const type = "ObjectiveMet";
  const { reported, unread } = reportsOf(serving);
  if (unread !== undefined) return { type, status: "Unknown", ...unread };
  const observed = reported.flatMap(({ pool, report }) =>
    report.objectives.flatMap(({ p95, ...rest }) =>
      p95 === undefined ? [] : [{ pool, p95, ...rest }],
    ),
  );
  const slow = observed.filter(({ p95, objective }) => p95 > objective);
  const measured = listed((slow.length > 0 ? slow : observed).map(measuredInWords));
  if (slow.length > 0)
    return { type, status: "False", reason: "ObjectiveMissed", message: measured };
  const message = "no response with tokens within the window";
  return observed.length === 0
    ? { type, status: "Unknown", reason: "NoRequests", message }
    : { type, status: "True", reason: "ObjectiveMet", message: measured };
}

type Measured = ObservedObjective & { readonly pool: string; readonly p95: number };

const measuredInWords = ({ pool, model, measure, p95, objective }: Measured): string =>
  `${model} on ${pool}: P95 ${milliseconds(p95)} ${measure}, objective ${milliseconds(objective)}`;

/** Rounds to two digits, because a value that changes with every request would be written after every poll. */
const milliseconds = (seconds: number) => `${Number((seconds * 1000).toPrecision(2))} ms`;

function targetsServed(serving: readonly PoolBinding[]): LLMServiceFinding {
  const type = "TargetsServed";
  const down = serving.flatMap(({ namespace, name, pods = [] }) =>
    pods.length === 0 || pods.some(({ ready }) => ready)
      ? []
      : [`pool ${namespace}/${name}: ${podsInWords(pods)}`],
  );
  if (down.length > 0)
    return { type, status: "False", reason: "NoReadyPods", message: listed(down) };
  const { reported, unread } = reportsOf(serving);
  if (unread !== undefined) return { type, status: "Unknown", ...unread };
  const missing = reported.flatMap(({ pool, report }) =>
    missingInWords(pool, report.missingTargets),
  );
  if (missing.length > 0)
    return { type, status: "False", reason: "TargetNotFound", message: listed(missing) };
  return reported.some(({ report }) => report.requests > 0)
    ? {
        type,
        status: "True",
        reason: "TargetsServed",
        message: "no pod returns 404 for a target",
      }
    : { type, status: "Unknown", reason: "NoRequests", message: "no requests yet" };
}

/** Formats missing targets as `adapter-v2 of model m on pool ns/p: 404 from pods ns/a, ns/b`. */
function missingInWords(pool: string, missing: readonly MissingTarget[]): string[] {
  const pods = new Map<string, Set<string>>();
  for (const { model, target, pod } of missing) {
    const key = model === target ? target : `${target} of model ${model}`;
    pods.set(key, (pods.get(key) ?? new Set()).add(pod));
  }
  return [...pods].map(
    ([target, names]) =>
      `${target} on pool ${pool}: 404 from pod${names.size === 1 ? "" : "s"} ${listed([...names].sort())}`,
  );
}
