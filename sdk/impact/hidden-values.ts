import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { attempt, trackUnknownReads, unknownValue } from "../stack/unknown-value.ts";
import { gpusOfReplica } from "../stack/workloads.ts";

/** Values that a preview of the Pulumi CLI does not show. */

/** The text instead of a secret, which may be a whole list of containers. */
export const hiddenSecret = "[secret]";

/** The text instead of a value that only an update knows. */
export const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Returns a copy with `unknownValue` for values that a preview does not show. */
export function hiddenAsUnknown(value: unknown): unknown {
  if (value === hiddenSecret || value === unknownText) return unknownValue;
  if (Array.isArray(value)) return value.map(hiddenAsUnknown);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, hiddenAsUnknown(each)]),
  );
}

/** Returns the accelerators of one replica. Pods that the preview does not show count as 1. */
export function shownGpus(manifest: Manifest | undefined): number {
  const read = attempt(() =>
    gpusOfReplica(trackUnknownReads(hiddenAsUnknown(manifest), []) as Manifest | undefined),
  );
  return "unknown" in read ? 1 : read.value;
}
