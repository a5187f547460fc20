export interface RawContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly terminated?: { readonly exitCode?: number };
  };
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

/** Why a pod does not run, where waiting will not mend it; undefined where it may. */
export function podFailure(status: {
  readonly phase?: string;
  readonly reason?: string;
  readonly containerStatuses?: readonly RawContainerStatus[];
  readonly initContainerStatuses?: readonly RawContainerStatus[];
}): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const reason = container.state?.waiting?.reason ?? "";
    if (failing.has(reason)) return reason;
    // An init container that has done its work is not ready in older clusters.
    const hasEnded = container.state?.terminated?.exitCode === 0;
    if (!container.ready && !hasEnded && (container.restartCount ?? 0) >= restartsOfALoop)
      return "CrashLoopBackOff";
  }
  return status.phase === "Failed" ? (status.reason ?? "Failed") : undefined;
}
