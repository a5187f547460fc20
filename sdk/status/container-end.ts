import { causeIn, exceptionIn, loadedPercentIn } from "./log-cause.ts";
import type { Probe, RawContainer } from "./pod-containers.ts";

/** Facts about the end of a container that its pod does not contain. */
export interface Evidence {
  /** Last lines that the ended run wrote to the log. */
  readonly log?: string;
  /** The pod's events with reason Killing. */
  readonly killings?: ReadonlyArray<{ readonly message: string; readonly at: string }>;
}

/** The causes of a container's end, in the order in which they are tried. */
const causes: ReadonlyArray<(container: RawContainer, evidence: Evidence) => string | undefined> = [
  killedForMemory,
  endedByProbe,
  endedByItself,
];

/** Describes why the last run of a container ended; undefined if its status contains no exit code. */
export function causeOfEnd(container: RawContainer, evidence: Evidence): string | undefined {
  for (const cause of causes) {
    const text = cause(container, evidence);
    if (text !== undefined) return text;
  }
  return undefined;
}

export const isKilledForMemory = ({ end }: RawContainer): boolean => end?.reason === "OOMKilled";

function killedForMemory(container: RawContainer): string | undefined {
  if (!isKilledForMemory(container)) return undefined;
  const { name, memoryLimit } = container;
  return memoryLimit === undefined
    ? `${name} was killed for memory; it has no memory limit, so its pod or node had too little`
    : `${name} was killed for memory at its limit of ${memoryLimit}`;
}

type ProbeKind = "startup" | "liveness";

function endedByProbe(container: RawContainer, { log = "", killings = [] }: Evidence) {
  const { name, startupProbe, livenessProbe } = container;
  const kind = probeInEvents(container, killings) ?? probeByTime(container, log);
  const percent = loadedPercentIn(log);
  const what = percent === undefined ? "its start" : `the load at ${percent} %`;
  const seconds = secondsOf(container);
  const after = seconds === undefined ? "" : ` after ${seconds} s`;
  switch (kind) {
    case undefined:
      return undefined;
    case "startup":
      return `${name}'s startup probe ended ${what}${after}${allowance(startupProbe)}; raise its failureThreshold`;
    case "liveness":
      return startupProbe === undefined && isAtLimit(container, livenessProbe)
        ? `${name}'s liveness probe ended ${what}${after}${allowance(livenessProbe)}; add a startupProbe`
        : `${name}'s liveness probe ended it${after}`;
  }
}

const allowance = (probe: Probe | undefined): string =>
  probe === undefined ? "" : ` (it allows ${budgetOf(probe)} s)`;

/** Reads the kubelet's event `Container vllm failed startup probe, will be restarted` about the run that ended. */
function probeInEvents(
  { name, end }: RawContainer,
  killings: NonNullable<Evidence["killings"]>,
): ProbeKind | undefined {
  return killings
    .filter(({ at }) => at >= (end?.startedAt ?? ""))
    .map(({ message }) =>
      /^(?:Init c|C)ontainer (\S+) failed (startup|liveness) probe/.exec(message),
    )
    .find((match) => match?.[1] === name)?.[2] as ProbeKind | undefined;
}

/** Exit codes of a container that the kubelet stopped: 128 plus SIGKILL or SIGTERM. */
const stopped = [137, 143];

/** Infers the probe from the length of the run, because events are kept for an hour only. SGLang kills itself if it fails. */
function probeByTime(container: RawContainer, log: string): ProbeKind | undefined {
  const { end, startupProbe, livenessProbe } = container;
  if (!stopped.includes(end?.exitCode ?? 0) || exceptionIn(log) !== undefined) return undefined;
  if (!isAtLimit(container, startupProbe ?? livenessProbe)) return undefined;
  return startupProbe === undefined ? "liveness" : "startup";
}

/** Whether a run lasted as long as a probe allows. vLLM ignores SIGTERM while it loads, so it runs for its grace period too. */
function isAtLimit(container: RawContainer, probe: Probe | undefined): boolean {
  const seconds = secondsOf(container);
  if (probe === undefined || seconds === undefined) return false;
  const { periodSeconds } = probe;
  const over = seconds - budgetOf(probe);
  return over >= -periodSeconds && over <= periodSeconds + container.graceSeconds;
}

/** Time that a probe gives a container, in seconds. */
const budgetOf = ({ initialDelaySeconds, periodSeconds, failureThreshold }: Probe): number =>
  initialDelaySeconds + periodSeconds * failureThreshold;

/** Returns the length of the run that ended, in seconds. */
function secondsOf({ end }: RawContainer): number | undefined {
  const seconds = (Date.parse(end?.finishedAt ?? "") - Date.parse(end?.startedAt ?? "")) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Formats `exit code 1: out of memory`. Error and Completed are the default reasons of every terminated container. */
function endedByItself({ end }: RawContainer, { log = "" }: Evidence): string | undefined {
  if (end?.exitCode === undefined) return undefined;
  const { exitCode, reason = "", message = "" } = end;
  const named = reason === "Error" || reason === "Completed" ? "" : reason;
  const isStopped = exitCode === 0 || stopped.includes(exitCode);
  const cause = message !== "" || !isStopped ? causeIn(message || log) : (exceptionIn(log) ?? "");
  return [`exit code ${exitCode}`, named, cause].filter((text) => text !== "").join(": ");
}
