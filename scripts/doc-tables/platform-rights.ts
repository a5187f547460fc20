import { imagesOf } from "../../kubernetes/registry/pod-images.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { manifestsOfPrerequisite } from "../../sdk/platform/manifests.ts";
import { prerequisiteNames, prerequisites } from "../../sdk/platform/prerequisites.ts";
import { stackRules } from "../../sdk/rules/objects/index.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { code, table } from "./table.ts";

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

const listed = (names: Iterable<string>): string => [...new Set(names)].join(", ") || "none";

/** Returns the rules of roles of a kind, such as ClusterRole. */
const rulesOf = (manifests: readonly Manifest[], kind: string): Rule[] =>
  manifests
    .filter((manifest) => manifest.kind === kind)
    .flatMap((manifest) => (manifest as unknown as { rules?: Rule[] }).rules ?? []);

function secretsOf(manifests: readonly Manifest[]): string {
  const rights = [
    ["ClusterRole", "all namespaces"],
    ["Role", "its namespace"],
  ].flatMap(([kind = "", where]) => {
    const verbs = rulesOf(manifests, kind)
      .filter(
        ({ apiGroups = [], resources = [] }) =>
          (apiGroups.includes("") || apiGroups.includes("*")) &&
          (resources.includes("secrets") || resources.includes("*")),
      )
      .flatMap((rule) => rule.verbs);
    return verbs.length === 0 ? [] : [`${where}: ${listed(verbs)}`];
  });
  return rights.join("; ") || "none";
}

const everythingOf = (manifests: readonly Manifest[]): string =>
  listed(
    rulesOf(manifests, "ClusterRole")
      .filter(({ resources = [], apiGroups = [] }) => [...resources, ...apiGroups].includes("*"))
      .map(
        ({ apiGroups = [], resources = [], verbs }) =>
          `${verbs.join(", ")} of ${code(`${apiGroups.join(",")}/${resources.join(",")}`)}`,
      ),
  );

/** Returns the programs whose pods the restricted Pod Security Standard refuses. */
function unrestrictedOf(manifests: readonly Manifest[]): string {
  const rule = stackRules.find(({ id }) => id === "pods-are-restricted");
  const findings = rule?.judge(readStack(manifests), { level: "restricted" }).findings ?? [];
  return listed(findings.map(({ path: [index] }) => code(nameAt(manifests, Number(index)))));
}

const nameAt = (manifests: readonly Manifest[], index: number) =>
  manifests[index]?.metadata.name ?? "";

/** Rights of the components that an InferencePlatform installs, from their manifests. */
export const platformRightsTable = (): string[] =>
  table(
    ["component", "programs", "Secrets", "all resources", "not `restricted`", "images"],
    prerequisiteNames.map((name) => {
      const manifests = manifestsOfPrerequisite(name);
      const programs = manifests.filter(({ kind }) => kind === "Deployment" || kind === "Job");
      return [
        prerequisites[name].title,
        listed(programs.map(({ metadata }) => code(metadata.name))),
        secretsOf(manifests),
        everythingOf(manifests),
        unrestrictedOf(manifests),
        listed(imagesOf(manifests).map(code)),
      ];
    }),
  );
