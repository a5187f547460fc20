import { crdName } from "../../sdk/crds/custom-resource-definition.ts";
import { ownCrds, ownKinds } from "../../sdk/crds/own-kinds.ts";
import { listed } from "../../sdk/status/conditions.ts";
import { version } from "../../sdk/version.ts";
import { type CheckResult, forbidden, ok, warning } from "./check-result.ts";
import type { ClusterObservation, Crd, SchemaNode } from "./observation.ts";

const check = "own-crds";

/** Names of the CustomResourceDefinitions that `InferenceCrds` installs. */
export const ownCrdNames = ownKinds.map(crdName);

const install = "npx pulumi-inference crds | kubectl apply --server-side -f -";

/** Checks this project's kinds, and the fields that this version of the package writes. */
export function checkOwnCrds({ ownCrds: found }: ClusterObservation): CheckResult[] {
  const refused = Object.values(found).find((seen) => seen.state === "forbidden");
  if (refused?.state === "forbidden")
    return [forbidden(check, "CustomResourceDefinitions", refused)];
  const crdOf = (name: string): Crd | undefined => {
    const seen = found[name];
    return seen?.state === "seen" ? seen.value : undefined;
  };
  const absent = ownCrdNames.filter((name) => crdOf(name) === undefined);
  if (absent.length === ownCrdNames.length)
    return [
      warning(check, {
        title: "the CRDs of pulumi-inference are not installed",
        seen: "needed for pools, LLMServices, rewrites, imports and status objects, but not for an InferenceService alone",
        fix: `new InferenceCrds("crds") in the platform team's program, or run: ${install}`,
      }),
    ];
  const older = ownCrds().flatMap((wanted) => {
    const crd = crdOf(wanted.metadata.name);
    const missing = crd === undefined ? [] : missingFields(wanted as unknown as Crd, crd);
    return missing.length === 0 ? [] : [`${wanted.metadata.name} lacks ${listed(missing)}`];
  });
  const faults = [...absent.map((name) => `missing: ${name}`), ...older];
  if (faults.length === 0) return [ok(check, `the CRDs of pulumi-inference match ${version}`)];
  return [
    warning(check, {
      title: `the CRDs of pulumi-inference do not match ${version}`,
      seen: `${faults.join("; ")}: the API server drops fields that a schema lacks`,
      fix: `update the package that installs InferenceCrds, or run: ${install}`,
    }),
  ];
}

/**
 * Returns the fields of each version that one definition has and the other lacks, as dotted paths, and missing
 * versions.
 */
function missingFields(wanted: Crd, found: Crd): string[] {
  return wanted.spec.versions.flatMap(({ name, schema }) => {
    const served = found.spec.versions.find((each) => each.name === name && each.served);
    if (served === undefined) return [`version ${name}`];
    return lacking(schema?.openAPIV3Schema, served.schema?.openAPIV3Schema, "");
  });
}

function lacking(
  wanted: SchemaNode | undefined,
  found: SchemaNode | undefined,
  at: string,
): string[] {
  const [own, theirs] = [wanted?.items ?? wanted, found?.items ?? found];
  return Object.entries(own?.properties ?? {}).flatMap(([field, node]) => {
    const path = at === "" ? field : `${at}.${field}`;
    const other = theirs?.properties?.[field];
    return other === undefined ? [path] : lacking(node, other, path);
  });
}
