import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/events.js";
import { isSecret } from "../../recorder/index.ts";

/** An event of the log of the CLI's engine. */
export type CliEvent = EngineEvent;

/** Effect of an operation on one resource. */
export type StepOperation = "same" | "create" | "update" | "replace" | "delete" | "read";

/** Step of an operation on one resource, performed or previewed. */
export interface Step {
  readonly operation: StepOperation;
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  /** Whether a provider manages the resource; false for components. */
  readonly custom: boolean;
  /** Whether the old object is deleted before the new one is created. */
  readonly deleteBeforeReplace?: true;
  /** Former URN of the resource in the state. */
  readonly formerUrn?: string;
  /** Whether the step failed. */
  readonly failed?: true;
  readonly newInputs?: Readonly<Record<string, unknown>>;
}

export interface Diagnostic {
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  /** URN of the resource that the diagnostic concerns, if any. */
  readonly urn?: string;
}

export interface OutputValue {
  /** `[secret]` if the value is secret, undefined while it is unknown. */
  readonly value: unknown;
  readonly secret: boolean;
}

/** Result of an operation of the CLI, by the events of its engine. */
export interface OperationResult {
  /** Whether the CLI ended with 0, its engine reported a summary, and nothing reported an error. */
  readonly succeeded: boolean;
  /** Steps, one per resource, in the order in which they ended. Without default providers. */
  readonly steps: readonly Step[];
  /** Number of successful steps by operation, and number of failed steps. Entries with 0 are omitted. */
  readonly summary: Readonly<Partial<Record<StepOperation | "failed", number>>>;
  /** Outputs of the stack. */
  readonly outputs: Readonly<Record<string, OutputValue>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reports whether an operation changed nothing, or would change nothing. */
export const isUnchanged = ({ succeeded, summary }: OperationResult): boolean =>
  succeeded && Object.keys(summary).every((each) => each === "same" || each === "read");

/** Progress of an operation, in the order of the engine. */
export type OperationEvent =
  | { readonly kind: "step-started" | "step-finished"; readonly step: Step }
  /** Reason that a step is waiting. */
  | { readonly kind: "status"; readonly urn: string; readonly message: string }
  | { readonly kind: "diagnostic"; readonly diagnostic: Diagnostic };

/** Returns what an event reports, if anything. */
export function eventOf(event: CliEvent): OperationEvent | undefined {
  const { resourcePreEvent, resOutputsEvent, resOpFailedEvent, diagnosticEvent } = event;
  if (resourcePreEvent) return stepEvent("step-started", resourcePreEvent.metadata);
  if (resOutputsEvent) return stepEvent("step-finished", resOutputsEvent.metadata);
  if (resOpFailedEvent) return stepEvent("step-finished", resOpFailedEvent.metadata, true);
  if (diagnosticEvent === undefined) return undefined;
  const { urn = "", message: text, ephemeral = false } = diagnosticEvent;
  // Its type lacks `debug`.
  const severity: string = diagnosticEvent.severity;
  const message = plain(text);
  if (severity === "debug" || message === "" || unrelated.test(message)) return undefined;
  if (ephemeral) return { kind: "status", urn, message };
  const known = severity === "warning" || severity === "error" ? severity : "info";
  return {
    kind: "diagnostic",
    diagnostic: { severity: known, message, ...(urn !== "" && { urn }) },
  };
}

/** Messages that depend on the machine and on no program. */
const unrelated =
  /^(using pulumi-(resource|language)-\S+ from \$PATH|resource plugin \S+ is expected to have version)/;

/** Text without the tags of colours. */
const plain = (text: string) => text.replaceAll(/<\{%[^%]*%\}>/g, "").trim();

function stepEvent(
  kind: "step-started" | "step-finished",
  metadata: StepEventMetadata,
  failed = false,
): OperationEvent | undefined {
  const step = stepOf(metadata, failed);
  return step && { kind, step };
}

const operations: Readonly<Record<string, StepOperation>> = {
  same: "same",
  create: "create",
  update: "update",
  replace: "replace",
  "create-replacement": "replace",
  "delete-replaced": "replace",
  delete: "delete",
  "discard-replaced": "replace",
  read: "read",
  "read-replacement": "read",
  discard: "delete",
  "remove-pending-replace": "delete",
  import: "create",
  // The effect of a refresh is in the event of its end.
  refresh: "same",
};

function stepOf(metadata: StepEventMetadata, failed: boolean): Step | undefined {
  const { op, urn, type, old, new: next } = metadata;
  const operation = operations[op];
  if (operation === undefined) throw new Error(`${urn}: the CLI reports the unknown step ${op}`);
  const state = next ?? old;
  if (type.startsWith("pulumi:providers:") && urn.includes("::default_")) return undefined;
  return {
    operation,
    urn,
    type,
    name: urn.split("::").at(-1) ?? "",
    custom: state?.custom === true,
    ...(old && old.urn !== urn && { formerUrn: old.urn }),
    ...(failed && { failed }),
    ...(next?.inputs && { newInputs: next.inputs }),
  };
}

/** Returns the result of an operation from its events, and the exit code and output of the CLI. */
export function resultOf(
  events: readonly CliEvent[],
  code: number,
  output: string,
): OperationResult {
  const reported = events.flatMap((event) => eventOf(event) ?? []);
  const diagnostics = reported.flatMap((each) =>
    each.kind === "diagnostic" ? [each.diagnostic] : [],
  );
  const hasSummary = events.some(({ summaryEvent }) => summaryEvent !== undefined);
  if (!hasSummary && !diagnostics.some(isError))
    diagnostics.push({ severity: "error", message: `the CLI ended with ${code}: ${output}` });
  const steps = mergedSteps(events);
  const failed = steps.some((step) => step.failed);
  return {
    succeeded: code === 0 && hasSummary && !failed && !diagnostics.some(isError),
    steps,
    summary: counts(steps),
    outputs: outputsOf(events),
    diagnostics,
  };
}

const isError = ({ severity }: Diagnostic) => severity === "error";

/** One step per resource: a replacement is three steps of the engine. */
function mergedSteps(events: readonly CliEvent[]): Step[] {
  const steps = new Map<string, Step>();
  for (const { resOutputsEvent, resOpFailedEvent } of events) {
    const metadata = (resOutputsEvent ?? resOpFailedEvent)?.metadata;
    const step = metadata && stepOf(metadata, resOpFailedEvent !== undefined);
    if (metadata === undefined || step === undefined) continue;
    const before = steps.get(step.urn);
    const isFirst = before?.operation !== "replace";
    const deletes = metadata.op === "delete-replaced" && isFirst;
    steps.delete(step.urn);
    steps.set(step.urn, {
      ...before,
      ...step,
      ...((before?.failed || step.failed) && { failed: true }),
      ...((before?.deleteBeforeReplace || deletes) && { deleteBeforeReplace: true }),
    });
  }
  return [...steps.values()];
}

function counts(steps: readonly Step[]): OperationResult["summary"] {
  const summary: Partial<Record<StepOperation | "failed", number>> = {};
  for (const { operation, failed } of steps) {
    const kind = failed ? "failed" : operation;
    summary[kind] = (summary[kind] ?? 0) + 1;
  }
  return summary;
}

function outputsOf(events: readonly CliEvent[]): OperationResult["outputs"] {
  const stack = events
    .flatMap(({ resOutputsEvent }) => resOutputsEvent?.metadata ?? [])
    .findLast(({ type }) => type === "pulumi:pulumi:Stack");
  return Object.fromEntries(
    Object.entries(stack?.new?.outputs ?? {}).map(([name, value]) => [
      name,
      isSecret(value) ? { value: "[secret]", secret: true } : { value, secret: false },
    ]),
  );
}
