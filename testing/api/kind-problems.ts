import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { factsOf, kindOf } from "../../sdk/topology/planned-kinds.ts";

/** What of a planned object is not as the table of kinds says: the kind, its version or its scope. */
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
