import { canonicalJson, digest } from "../../kubernetes/values/canonical-json.ts";

export { digest };

/**
 * Returns a short hash of what pods run, such as the pod templates of a role. An edit that restarts no pod keeps it. A
 * value that is not yet known counts as null.
 */
export const revisionOf = (pods: unknown): string => digest(canonicalJson(pods)).slice(0, 10);
