import type { KubeConfig } from "@kubernetes/client-node";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { containsUnknowns, type PropertyMap, withoutSecrets } from "../property-value.ts";
import type { CheckFailure } from "../provider.ts";
import { changedKeys } from "../provider-registry.ts";

/** The cluster of resources whose provider names none: a kubeconfig file or its contents. */
export interface ClusterChoice {
  kubeconfig: string;
  /** Default: the kubeconfig's current context. */
  context?: string | undefined;
}

/** What the inputs of a `kubernetes.Provider` say. */
export interface ProviderSettings {
  /** Absent if no cluster is chosen, or none that is known yet. */
  cluster: KubeConfig | undefined;
  /** For objects that name none. */
  namespace: string;
  enableConfigMapMutable: boolean;
  enableSecretMutable: boolean;
  enablePatchForce: boolean;
}

const BOOLEANS = ["enableConfigMapMutable", "enableSecretMutable", "enablePatchForce"] as const;

const SUPPORTED = new Set<string>([
  ...["kubeconfig", "context", "cluster", "namespace", "clusterIdentifier", "version"],
  ...["suppressDeprecationWarnings", "suppressHelmHookWarnings", ...BOOLEANS],
]);

// Inputs that are only supported with the value that is the default.
const FIXED: Readonly<Record<string, boolean>> = {
  enableServerSideApply: true,
  alwaysRender: false,
  deleteUnreachable: false,
  skipUpdateUnreachable: false,
  strictMode: false,
  upsertExistingObjects: false,
};

const INSTEAD: Readonly<Record<string, string>> = {
  renderYamlToDirectory: "use pulumi-inference render for manifests",
  helmReleaseSettings: "Helm releases are not supported",
  kubeClientSettings: "the rate follows from the engine's parallel option",
};

export function checkConfig(inputs: PropertyMap): CheckFailure[] {
  return Object.entries(withoutSecrets(inputs)).flatMap(([property, value]) => {
    if (SUPPORTED.has(property) || value === undefined || value === null) return [];
    if (property in FIXED && isTrue(value) === FIXED[property]) return [];
    const allowed =
      property in FIXED
        ? `only ${FIXED[property]} is supported, not ${JSON.stringify(value)}`
        : `is not supported; ${INSTEAD[property] ?? "remove it or use the Pulumi CLI"}`;
    return [{ property, reason: `${allowed}` }];
  });
}

/** Resources move to another cluster only by being made anew; where the cluster has an identifier, it decides. */
export function diffConfig(
  given: PropertyMap,
  wanted: PropertyMap,
): { changed: string[]; replace: string[] } {
  const oldInputs = withoutSecrets(given);
  const newInputs = withoutSecrets(wanted);
  const changed = changedKeys(oldInputs, newInputs);
  const { clusterIdentifier: before } = oldInputs;
  const { clusterIdentifier: after } = newInputs;
  if (before && after) return { changed, replace: before === after ? [] : ["clusterIdentifier"] };
  const choosing = changed.filter((key) => ["kubeconfig", "context", "cluster"].includes(key));
  const isSame =
    choosing.every((key) => !containsUnknowns(newInputs[key])) && sameCluster(oldInputs, newInputs);
  return { changed, replace: isSame ? [] : choosing };
}

function sameCluster(a: PropertyMap, b: PropertyMap): boolean {
  const [first, second] = [a, b].map(loadCluster);
  // A kubeconfig that cannot be read says nothing about its cluster.
  if (first === undefined || second === undefined) return true;
  return JSON.stringify(first.getCurrentCluster()) === JSON.stringify(second.getCurrentCluster());
}

function loadCluster(inputs: PropertyMap): KubeConfig | undefined {
  const { kubeconfig, context, cluster } = inputs;
  if (kubeconfig === undefined || containsUnknowns(kubeconfig)) return undefined;
  try {
    return load(kubeconfig, context, cluster);
  } catch {
    return undefined;
  }
}

/** Reads the inputs of a provider; those that choose no cluster get the engine's. */
export function readSettings(
  inputs: PropertyMap,
  choice: ClusterChoice | undefined,
): ProviderSettings {
  const { kubeconfig, context, cluster, namespace, ...rest } = withoutSecrets(inputs);
  const source = kubeconfig ?? choice?.kubeconfig;
  const chosen = context ?? (kubeconfig === undefined ? choice?.context : undefined);
  const isKnown = source !== undefined && !containsUnknowns([source, chosen, cluster]);
  const config = isKnown ? load(source, chosen, cluster) : undefined;
  const ofContext = config?.getContextObject(config.currentContext)?.namespace;
  const [enableConfigMapMutable, enableSecretMutable, enablePatchForce] = BOOLEANS.map((key) =>
    isTrue(rest[key]),
  ) as [boolean, boolean, boolean];
  return {
    cluster: config,
    namespace: text(namespace) ?? ofContext ?? "default",
    enableConfigMapMutable,
    enableSecretMutable,
    enablePatchForce,
  };
}

const load = (kubeconfig: unknown, context: unknown, cluster: unknown): KubeConfig =>
  readKubeconfig(newKubeConfig(), { kubeconfig, context: text(context), cluster: text(cluster) });

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && !containsUnknowns(value) ? value : undefined;
}

/** The SDK sends booleans as JSON texts. */
function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}
