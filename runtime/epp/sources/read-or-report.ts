import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../../kubernetes/kinds/kind.ts";
import { type KubernetesObject, keyOf } from "../../../kubernetes/values/object.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import { readLLMService } from "../../../sdk/routing/read-llm-service.ts";

/** Receives a problem of an object; `key` is its kind, namespace and name. */
export type ReportProblem = (key: string, message: string) => void;

/** Returns a reader of objects of a kind. It reports an invalid object and leaves it out. */
export const readOrReport =
  <T>(
    kind: KindAddress,
    read: (object: KubernetesObject) => T | undefined,
    report: ReportProblem,
  ): ((object: KubernetesObject) => T | undefined) =>
  (object) => {
    try {
      return read(object);
    } catch (error) {
      report(`${kind.plural} ${keyOf(object)}`, reasonOf(error));
      return undefined;
    }
  };

/** Returns a reader of LLMServices. It reports the problems of a service and returns its valid part. */
export const readServiceAndReport = (report: ReportProblem) => (object: KubernetesObject) => {
  const { service, problems } = readLLMService(object);
  if (problems.length > 0)
    report(`${kinds.LLMService.plural} ${keyOf(object)}`, problems.join("; "));
  return service;
};
