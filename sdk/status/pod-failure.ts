export interface RawContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly image?: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: RawTermination;
  };
  readonly lastState?: { readonly terminated?: RawTermination };
}

interface RawTermination {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** Reasons for which a kubelet tries again and again. */
const failing = new Set([
  "CrashLoopBackOff",
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "InvalidImageName",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

/**
 * A container that has restarted so often and is not ready is in a loop of crashes also while it runs: between the
 * waits of a CrashLoopBackOff an engine loads its model for minutes.
 */
const restartsOfALoop = 3;

/** Why a pod does not run, where waiting will not fix it, with what its end or its image tells; undefined where it may. */
export function podFailure(status: {
  readonly phase?: string;
  readonly reason?: string;
  readonly containerStatuses?: readonly RawContainerStatus[];
  readonly initContainerStatuses?: readonly RawContainerStatus[];
}): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const reason = container.state?.waiting?.reason ?? "";
    if (failing.has(reason)) return withCause(reason, container);
    // An init container that has done its work is not ready in older clusters.
    const hasEnded = container.state?.terminated?.exitCode === 0;
    if (!container.ready && !hasEnded && (container.restartCount ?? 0) >= restartsOfALoop)
      return withCause("CrashLoopBackOff", container);
  }
  return status.phase === "Failed" ? (status.reason ?? "Failed") : undefined;
}

/** `ImagePullBackOff: image registry.example/epp:1.0`, `CrashLoopBackOff: exit code 1: flag --x is unknown`. */
function withCause(reason: string, { image, state, lastState }: RawContainerStatus): string {
  if (/Image/.test(reason)) return image ? `${reason}: image ${image}` : reason;
  const end = state?.terminated ?? lastState?.terminated;
  if (end?.exitCode === undefined) return reason;
  const why = [end.reason ?? "", end.message ?? ""].map(lastLine).filter(isInformative);
  return [reason, `exit code ${end.exitCode}`, ...why].join(": ");
}

/** Error and Completed are what every container ends with. */
const isInformative = (text: string) => text !== "" && text !== "Error" && text !== "Completed";

/** A termination message may be the end of a log, of which the last line says why. A controller keeps it of every pod. */
function lastLine(text: string): string {
  const line = text.trim().split("\n").at(-1) ?? "";
  const words = (errorOfLog(line) ?? line).replaceAll(/\s*\n\s*/g, "; ").replace(":; ", ": ");
  return words.length > maxLength ? `${words.slice(0, maxLength - 3)}...` : words;
}

const maxLength = 600;

/** The error of a line as programs of this project log it. */
function errorOfLog(line: string): string | undefined {
  try {
    const { error } = JSON.parse(line) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
