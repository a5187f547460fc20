import { multiClusterControllerName } from "./names.ts";

/** Names by which controllers of a cluster set know what is theirs. */

/** `domain/path` of this project's controller, unless told otherwise. */
export const defaultControllerName = "pulumi-inference/multi-cluster-controller";

/**
 * Header of a request, and of a picker's stream, that says through how many clusters it was sent on. A client that sends
 * it keeps its own request where it is, and can do no more.
 */
export const hopsHeader = "x-inference-import-hops";

/** Controllers of different names may lead at the same time: each has a Lease of its own. */
export const leaseName = (controllerName: string) =>
  controllerName === defaultControllerName
    ? multiClusterControllerName
    : `${multiClusterControllerName}-${checksum(controllerName)}`;

/** A controller's name as a label's value: a slash may not be in one. */
export function managedBy(controllerName: string): string {
  const readable = controllerName.replace("/", "_");
  const value = readable.replace(/[^A-Za-z0-9._-]/g, "_").replace(/[^A-Za-z0-9]+$/, "");
  return value === readable && value.length <= 63
    ? value
    : `${value.slice(0, 54).replace(/[^A-Za-z0-9]+$/, "")}-${checksum(controllerName)}`;
}

/** Eight hexadecimal digits (FNV-1a), so that names which differ in what a label cannot hold differ. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
