import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../../kubernetes/kinds/kind.ts";
import { type KubernetesObject, keyOf } from "../../../kubernetes/values/object.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import { readLLMService } from "../../../sdk/routing/read-llm-service.ts";

/** Receives what is wrong with an object; `key` names it by its kind, namespace and name. */
export type ReportProblem = (key: string, message: string) => void;

/** A reader of objects of a kind, which tells of one that cannot be read and leaves it out. */
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

/** A reader of LLMServices, which tells what is wrong with one and returns it as far as it can be read. */
export const readServiceAndReport = (report: ReportProblem) => (object: KubernetesObject) => {
  const { service, problems } = readLLMService(object);
  if (problems.length > 0)
    report(`${kinds.LLMService.plural} ${keyOf(object)}`, problems.join("; "));
  return service;
};
