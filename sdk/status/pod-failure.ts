import { causeOfEnd, type Evidence, isKilledForMemory } from "./container-end.ts";
import { refusalOfImage } from "./image-pull.ts";
import { shortLine } from "./log-cause.ts";
import { containersOf, type RawContainer, type RawPodState } from "./pod-containers.ts";

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

/**
 * Returns the reason that a pod does not run, with its cause; undefined if waiting may help.
 *
 * @param evidence facts that other objects than the pod contain
 */
export function podFailure(pod: RawPodState, evidence: Evidence = {}): string | undefined {
  const failed = failedContainer(pod);
  if (failed !== undefined) return inWords(failed, evidence);
  const { phase, reason, message = "" } = pod.status ?? {};
  if (phase !== "Failed") return undefined;
  return [reason ?? "Failed", shortLine(message)].filter((text) => text !== "").join(": ");
}

/** Returns the container whose log contains the cause of a pod's failure; undefined if the pod contains the cause. */
export function logToRead(
  pod: RawPodState,
): { readonly container: string; readonly previous: boolean } | undefined {
  const { reason = "", container } = failedContainer(pod) ?? {};
  const end = container?.end;
  if (container === undefined || end === undefined || reason !== "CrashLoopBackOff")
    return undefined;
  return end.message || isKilledForMemory(container)
    ? undefined
    : { container: container.name, previous: container.isRestarted };
}

interface FailedContainer {
  readonly reason: string;
  readonly container: RawContainer;
}

function failedContainer(pod: RawPodState): FailedContainer | undefined {
  for (const container of containersOf(pod)) {
    const reason = reasonOf(container);
    if (reason !== undefined) return { reason, container };
  }
  return undefined;
}

function reasonOf(container: RawContainer): string | undefined {
  const { waiting, ready, restarts, isDone } = container;
  if (failing.has(waiting?.reason ?? "")) return waiting?.reason;
  if (ready || isDone) return undefined;
  return restarts >= restartsOfALoop || isKilledForMemory(container)
    ? "CrashLoopBackOff"
    : undefined;
}

/**
 * Formats a failure as `ImagePullBackOff: image registry.example/epp:1.0: not found` or
 * `CrashLoopBackOff: exit code 1: flag --x is unknown`.
 */
function inWords({ reason, container }: FailedContainer, evidence: Evidence): string {
  const { image, waiting } = container;
  const details = /Image/.test(reason)
    ? [image && `image ${image}`, refusalOfImage(image, waiting?.message)]
    : container.end === undefined
      ? [reason === "CrashLoopBackOff" ? undefined : shortLine(waiting?.message ?? "")]
      : [causeOfEnd(container, evidence)];
  return [reason, ...details.filter(Boolean)].join(": ");
}
