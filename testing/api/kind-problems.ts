import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { factsOf, kindOf } from "../../sdk/topology/planned-kinds.ts";

/** Returns the fields of a planned object (kind, version or scope) that differ from the table of kinds. */
export function kindProblems({ apiVersion, kind, metadata }: Manifest): string[] {
  const known = kindOf({ apiVersion, kind });
  if (known === undefined)
    return [`${apiVersion} ${kind} is neither in kubernetes/kinds nor of a gateway`];
  const facts = factsOf(known);
  const problems: string[] = [];
  if (![facts.apiVersion, ...facts.otherVersions].includes(apiVersion))
    problems.push(`${kind} has no version ${apiVersion}`);
  if ((facts.scope === "Namespaced") !== (metadata.namespace !== undefined))
    problems.push(`${kind} ${metadata.name} is ${facts.scope}`);
  return problems;
}
