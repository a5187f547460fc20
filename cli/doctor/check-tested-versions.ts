import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import { type PrerequisiteName, prerequisites } from "../../sdk/platform/prerequisites.ts";
import { version as ownVersion } from "../../sdk/version.ts";
import { type CheckResult, forbidden } from "./check-result.ts";
import { oldestVolcano } from "./check-volcano.ts";
import { isAtLeast, parseVersion, type Version, versionOfImage } from "./image-version.ts";
import { type ClusterObservation, type Deployment, type Seen, seenOf } from "./observation.ts";

const check = "tested-versions";

/** Label of KEDA's operator, in its chart and in its plain manifests. */
export const kedaLabel = "app.kubernetes.io/name=keda-operator";

/**
 * Compares the installed prerequisites with the versions that the tests use. Only an older minor version is a finding. A
 * component whose version is not known is left out.
 */
export function checkTestedVersions(observation: ClusterObservation): CheckResult[] {
  const { kedaOperators } = observation;
  const installed = [...installedVersions(observation)].map(([name, version]) => {
    const { title, version: tested, install } = prerequisites[name];
    const [major = 0, minor = 0] = tested.split(".").map(Number);
    const isOlder = !isAtLeast(version, [major, minor, 0]);
    const text = version.numbers.join(".");
    return { title, text, tested, install, isOlder };
  });
  const current = installed.filter(({ isOlder }) => !isOlder);
  return [
    ...(current.length === 0 ? [] : [versionsOf(current)]),
    ...installed
      .filter(({ isOlder }) => isOlder)
      .map(
        ({ title, text, tested, install }): CheckResult => ({
          check,
          level: "warning",
          title: `${title} ${text} is older than the tested version`,
          seen: `the tests of pulumi-inference ${ownVersion} use ${tested}`,
          fix: install,
        }),
      ),
    ...(kedaOperators.state === "forbidden"
      ? [forbidden(check, "KEDA's operator", kedaOperators)]
      : []),
  ];
}

const versionsOf = (
  installed: ReadonlyArray<{ title: string; text: string; tested: string }>,
): CheckResult => ({
  check,
  level: "ok",
  title: `versions: ${installed
    .map(
      ({ title, text, tested }) =>
        `${title} ${text}${text === tested ? "" : ` (tested: ${tested})`}`,
    )
    .join(", ")}`,
});

function installedVersions(observation: ClusterObservation): Map<PrerequisiteName, Version> {
  const { crds, lwsManagers, volcanoSchedulers, kedaOperators } = observation;
  const volcano = imageVersion(volcanoSchedulers);
  const found: ReadonlyArray<[PrerequisiteName, Version | undefined]> = [
    ["gatewayApi", crdVersion(crds, kinds.HTTPRoute)],
    ["inferenceExtension", crdVersion(crds, kinds.InferencePool)],
    ["leaderWorkerSet", imageVersion(lwsManagers)],
    // An older Volcano is an error of its own.
    ["volcano", volcano && isAtLeast(volcano, oldestVolcano) ? volcano : undefined],
    ["keda", imageVersion(kedaOperators)],
  ];
  return new Map(found.flatMap(([name, version]) => (version ? [[name, version] as const] : [])));
}

/** Release in the annotation that both Gateway API projects add to their CRDs. */
function crdVersion(
  crds: ClusterObservation["crds"],
  { group, plural }: KindFacts,
): Version | undefined {
  const crd = crds[`${plural}.${group}`];
  if (crd?.state !== "seen") return undefined;
  return parseVersion(crd.value.metadata?.annotations?.[`${group}/bundle-version`] ?? "");
}

const imageVersion = (deployments: Seen<readonly Deployment[]>): Version | undefined =>
  versionOfImage(seenOf(deployments)[0]?.spec.template.spec.containers[0]?.image ?? "");
