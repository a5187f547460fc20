import type { KubeConfig } from "@kubernetes/client-node";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { containsUnknowns, type PropertyMap, withoutSecrets } from "../property-value.ts";
import type { CheckFailure } from "../provider.ts";
import { changedKeys } from "../provider-registry.ts";

/** Cluster of resources whose provider selects none: the path of a kubeconfig, or its contents. */
export interface ClusterChoice {
  kubeconfig: string;
  /** Context in the kubeconfig. Default: its current context. */
  context?: string | undefined;
}

/** Settings in the inputs of a `kubernetes.Provider`. */
export interface ProviderSettings {
  /** Undefined if no cluster is selected, or if it is not known yet. */
  cluster: KubeConfig | undefined;
  /** Namespace of objects that set none. */
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

// Inputs of which only the default value is supported.
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

/**
 * Compares two provider configurations. Moving resources to another cluster means replacing them. If the configuration
 * contains a cluster identifier, it decides whether the cluster is the same.
 */
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
  // The cluster of an unreadable kubeconfig is unknown.
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

/** Returns the settings of a provider. A provider that selects no cluster gets the engine's cluster. */
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

/** The SDK sends booleans as JSON strings. */
function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}
