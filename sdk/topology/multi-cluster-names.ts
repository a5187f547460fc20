import { multiClusterControllerName } from "../names.ts";

/** Names with which controllers of a cluster set identify their objects. */

/** Default `domain/path` of this project's controller. */
export const defaultControllerName = "pulumi-inference/multi-cluster-controller";

/**
 * Header of a request, and of a picker's stream, with the number of clusters that have forwarded the request. A client
 * that sets it only prevents its own request from being forwarded.
 */
export const hopsHeader = "x-inference-import-hops";

/** Controllers with different names may lead at the same time: each has a separate Lease. */
export const leaseName = (controllerName: string) =>
  controllerName === defaultControllerName
    ? multiClusterControllerName
    : `${multiClusterControllerName}-${checksum(controllerName)}`;

/** Returns a controller's name as a label value, which may not contain a slash. */
export function managedBy(controllerName: string): string {
  const readable = controllerName.replace("/", "_");
  const value = readable.replace(/[^A-Za-z0-9._-]/g, "_").replace(/[^A-Za-z0-9]+$/, "");
  return value === readable && value.length <= 63
    ? value
    : `${value.slice(0, 54).replace(/[^A-Za-z0-9]+$/, "")}-${checksum(controllerName)}`;
}

/** Returns eight hexadecimal digits (FNV-1a), so that names stay different after invalid characters are replaced. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
