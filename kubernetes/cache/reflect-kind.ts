import type { KubernetesClient, Query } from "../api/client.ts";
import type { KindAddress } from "../kinds/kind.ts";
import { collectionPath } from "../paths.ts";
import { messageOf } from "../values/records.ts";
import type { Change, Trim } from "./object-cache.ts";
import { Reflector, type ReflectorOptions, type ReflectorState } from "./reflector.ts";

/** Timing of reflectors. */
export type ReflectorTiming = Pick<
  ReflectorOptions<unknown>,
  "backOff" | "probeIntervalMs" | "time"
>;

export interface KindReflection<T> {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly kind: Pick<KindAddress, "apiVersion" | "plural">;
  /** Namespace of the objects; undefined for all. */
  readonly namespace?: string | undefined;
  readonly query?: Query | undefined;
  /** Returns the part of an object to keep. */
  readonly read: Trim<T>;
  /** Whether `read` depends only on the spec and the identity. Default false. */
  readonly specOnly?: boolean | undefined;
  readonly onChange: (changes: readonly Change<T>[]) => void;
  /** Called after a change of state, after `onProblem`. */
  readonly onState: (state: ReflectorState) => void;
  /** Called with refusals of the API server and with errors of handlers. */
  readonly onProblem: (message: string) => void;
  /** Whether a kind that the API server does not serve is a problem. Default false. */
  readonly required?: boolean;
  /** Maximum number of objects. Default: the client's limit. */
  readonly objects?: number | undefined;
  readonly timing?: ReflectorTiming | undefined;
}

/** Returns a reflector of a kind's objects that reports its problems. */
export function reflectKind<T>(reflection: KindReflection<T>): Reflector<T> {
  const { client, kind, namespace, query, read, onChange, onState, onProblem } = reflection;
  const { required = false, specOnly = false, objects, timing } = reflection;
  return new Reflector<T>({
    client,
    path: collectionPath(kind, namespace),
    trim: read,
    specOnly,
    onChange,
    ...(query && { query }),
    ...(objects !== undefined && { objects }),
    onState: (state) => {
      if (state.kind === "failing") onProblem(state.error.message);
      if (state.kind === "absent" && required)
        onProblem("the API server does not serve this kind; install its CRD");
      onState(state);
    },
    onError: (error) => onProblem(messageOf(error)),
    ...timing,
  });
}
