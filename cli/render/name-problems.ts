import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { generatedNames, nameCollisions } from "../../sdk/topology/generated-names.ts";
import type { LocatedProblem } from "../exit-code.ts";

/** A service with its location and its plan. */
export interface PlannedService {
  readonly location: string;
  readonly name: string;
  readonly manifests: readonly Manifest[];
}

/**
 * Returns the objects that two services would both create, directly or through a controller: one would silently take
 * over the object of the other. One problem for each pair of services.
 */
export function nameProblems(services: readonly PlannedService[]): LocatedProblem[] {
  const claims = services.map((owner) => ({
    owner,
    names: owner.manifests.flatMap(generatedNames),
  }));
  return nameCollisions(claims).map(({ name, first, second }) => ({
    location: second.location,
    problem: {
      code: "name",
      path: ["metadata", "name"],
      given: `is ${JSON.stringify(second.name)}, which creates ${name}`,
      allowed: `a name that no other service creates; ${JSON.stringify(first.name)} (${first.location}) also creates it`,
      fix: "Rename the service or one of its roles, or choose another namespace.",
    },
  }));
}
