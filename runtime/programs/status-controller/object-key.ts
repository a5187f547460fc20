import {
  type RewriteVersion,
  rewriteVersions,
} from "../../../kubernetes/kinds/inference-model-rewrite.ts";

/** Work of a queue key: writing the status of an object, or computing the routing of a pool. */
export type Work = "InferenceService" | "LLMService" | "LLMServerPool" | "pool" | RewriteVersion;

/** @param object `namespace/name` */
export const keyOf = (work: Work, object: string): string => `${work} ${object}`;

export function readKey(key: string): { work: Work; object: string } {
  const at = key.indexOf(" ");
  return { work: key.slice(0, at) as Work, object: key.slice(at + 1) };
}

export const isRewrite = (work: Work): work is RewriteVersion =>
  rewriteVersions.some((version) => version === work);
