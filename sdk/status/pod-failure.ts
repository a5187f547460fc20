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

/** Waiting reasons of a container that failed and that the kubelet retries. */
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
 * Restarts after which a container that is not ready counts as a crash loop, even while it runs: an engine loads its
 * model for minutes between the waits of a CrashLoopBackOff.
 */
const restartsOfALoop = 3;

/** Returns the reason that a pod does not run, with details of its exit or image; undefined if waiting may help. */
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
    // In older clusters, a completed init container is not ready.
    const hasEnded = container.state?.terminated?.exitCode === 0;
    if (!container.ready && !hasEnded && (container.restartCount ?? 0) >= restartsOfALoop)
      return withCause("CrashLoopBackOff", container);
  }
  return status.phase === "Failed" ? (status.reason ?? "Failed") : undefined;
}

/**
 * Formats a failure as `ImagePullBackOff: image registry.example/epp:1.0` or
 * `CrashLoopBackOff: exit code 1: flag --x is unknown`.
 */
function withCause(reason: string, { image, state, lastState }: RawContainerStatus): string {
  if (/Image/.test(reason)) return image ? `${reason}: image ${image}` : reason;
  const end = state?.terminated ?? lastState?.terminated;
  if (end?.exitCode === undefined) return reason;
  const why = [end.reason ?? "", end.message ?? ""].map(lastLine).filter(isInformative);
  return [reason, `exit code ${end.exitCode}`, ...why].join(": ");
}

/** Error and Completed are the default reasons of every terminated container. */
const isInformative = (text: string) => text !== "" && text !== "Error" && text !== "Completed";

/** Returns the last line of a termination message, which may be the end of a log, shortened to save memory per pod. */
function lastLine(text: string): string {
  const line = text.trim().split("\n").at(-1) ?? "";
  const words = (errorOfLog(line) ?? line).replaceAll(/\s*\n\s*/g, "; ").replace(":; ", ": ");
  return words.length > maxLength ? `${words.slice(0, maxLength - 3)}...` : words;
}

const maxLength = 600;

/** Returns the error in a log line of this project's programs; undefined for any other line. */
function errorOfLog(line: string): string | undefined {
  try {
    const { error } = JSON.parse(line) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
