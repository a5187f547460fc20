/** The fields of a pod's spec and status from which the cause of a failure is derived. */
export interface RawPodState {
  readonly spec?: {
    readonly containers?: readonly RawContainerSpec[];
    readonly initContainers?: readonly RawContainerSpec[];
    readonly terminationGracePeriodSeconds?: number;
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly containerStatuses?: readonly RawContainerStatus[];
    readonly initContainerStatuses?: readonly RawContainerStatus[];
  };
}

interface RawContainerSpec {
  readonly name?: string;
  readonly resources?: { readonly limits?: Readonly<Record<string, string | number>> };
  readonly startupProbe?: RawProbe;
  readonly livenessProbe?: RawProbe;
}

interface RawProbe {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

interface RawContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly image?: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: RawContainer["waiting"];
    readonly terminated?: RawTermination;
  };
  readonly lastState?: { readonly terminated?: RawTermination };
}

interface RawTermination {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** A container's spec and status. */
export interface RawContainer {
  readonly name: string;
  readonly image: string | undefined;
  readonly ready: boolean;
  readonly restarts: number;
  readonly waiting: { readonly reason?: string; readonly message?: string } | undefined;
  /** End of its current run, or of its last run if it was restarted. */
  readonly end: RawTermination | undefined;
  /** Whether `end` is the end of an earlier run. */
  readonly isRestarted: boolean;
  /** Whether it has completed. In older clusters, a completed init container is not ready. */
  readonly isDone: boolean;
  readonly memoryLimit: string | number | undefined;
  readonly startupProbe: Probe | undefined;
  readonly livenessProbe: Probe | undefined;
  readonly graceSeconds: number;
}

export interface Probe {
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

/** Returns the containers of a pod that have a status, in the order in which they start. */
export function containersOf({ spec, status = {} }: RawPodState): RawContainer[] {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const specs = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return [...initContainerStatuses, ...containerStatuses].map((each) => {
    const { name = "", state, lastState } = each;
    const own = specs.find((container) => container.name === name);
    return {
      name,
      image: each.image,
      ready: each.ready ?? false,
      restarts: each.restartCount ?? 0,
      waiting: state?.waiting,
      end: state?.terminated ?? lastState?.terminated,
      isRestarted: state?.terminated === undefined,
      isDone: state?.terminated?.exitCode === 0,
      memoryLimit: own?.resources?.limits?.memory,
      startupProbe: withDefaults(own?.startupProbe),
      livenessProbe: withDefaults(own?.livenessProbe),
      graceSeconds: spec?.terminationGracePeriodSeconds ?? 30,
    };
  });
}

/** Completes a probe with the defaults of Kubernetes. */
const withDefaults = (probe: RawProbe | undefined): Probe | undefined =>
  probe && { initialDelaySeconds: 0, periodSeconds: 10, failureThreshold: 3, ...probe };
