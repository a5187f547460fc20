import { canonicalJson, digest } from "../../kubernetes/values/canonical-json.ts";

export { digest };

/**
 * Returns a short hash of the pod templates of a role or of a gang. An edit that restarts no pod keeps it. A
 * value that is not yet known counts as null.
 */
export const revisionOf = (pods: unknown): string => digest(canonicalJson(pods)).slice(0, 10);
