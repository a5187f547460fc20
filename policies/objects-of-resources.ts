import { unknownValue } from "../sdk/stack/unknown-value.ts";

/** A resource as policies receive it. */
export interface SeenResource {
  readonly type: string;
  readonly props: Record<string, unknown>;
}

/** A resource's provider as policies receive it. */
export interface SeenProvider {
  readonly urn: string;
  readonly props: Record<string, unknown>;
}

/**
 * Returns an id of the provider's cluster, because objects with the same name in two clusters are different objects.
 */
export function clusterOf(provider: SeenProvider | undefined): string {
  if (provider === undefined) return "";
  try {
    const { kubeconfig, context, cluster } = provider.props;
    const choice = [kubeconfig, context, cluster].filter((value) => value !== undefined);
    return choice.length === 0 ? "" : JSON.stringify([kubeconfig, context, cluster]);
  } catch {
    // The cluster does not exist yet, so its server is unknown.
    return provider.urn;
  }
}

/**
 * Returns the Kubernetes object that a resource declares, or undefined for components, providers, patches and resources
 * of other packages. Children of charts and YAML files are ordinary resources.
 */
export function objectOf({ type, props }: SeenResource): unknown {
  const token = /^kubernetes:([^:]+):(\w+)$/.exec(type);
  const [, groupVersion = "", kind = ""] = token ?? [];
  // A patch contains only part of an object that another owner declares. Other modules contain components.
  if (!groupVersion.includes("/") || kind.endsWith("Patch") || isOfComponents(groupVersion))
    return undefined;
  const { apiVersion, kind: written, ...fields } = plain(props);
  return {
    apiVersion: typeof apiVersion === "string" ? apiVersion : groupVersion.replace(/^core\//, ""),
    kind: typeof written === "string" ? written : kind,
    ...fields,
  };
}

const isOfComponents = (groupVersion: string) => /^(helm\.sh|kustomize|yaml)\//.test(groupVersion);

/**
 * Returns the cache key of a resource: its raw JSON, read without the SDK's proxies, which detect unknown values.
 * Undefined if the SDK does not expose the proxies' targets.
 */
export function textOf({ type, props }: SeenResource): string | undefined {
  const { __getSpecialProxyTarget: target } = props;
  return target === undefined ? undefined : `${type} ${JSON.stringify(target)}`;
}

/** The SDK writes unknown values as UUIDs. JSON without a UUID is fully known, and much faster to read. */
const mayBeUnknown = /[0-9a-f]{8}-[0-9a-f]{4}-/;

function plain(props: Record<string, unknown>): Record<string, unknown> {
  const { __getSpecialProxyTarget: target } = props;
  const text = target === undefined ? undefined : JSON.stringify(target);
  return (
    text === undefined || mayBeUnknown.test(text) ? known(props) : JSON.parse(text)
  ) as Record<string, unknown>;
}

/** Returns a copy with `notKnownYet` for each value that throws when it is read because only the update knows it. */
function known(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value.keys(), (at) => valueAt(value, at));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).map((key) => [key, valueAt(value, key)]));
}

function valueAt(holder: object, key: string | number): unknown {
  let value: unknown;
  try {
    value = (holder as Record<string | number, unknown>)[key];
  } catch {
    return unknownValue;
  }
  return known(value);
}

/** Reads an unknown value again, so that the SDK reports it as unknown. */
export function readToMarkUnknown(props: object, path: ReadonlyArray<string | number>): void {
  path.reduce<unknown>(
    (at, step) => (at as Record<string | number, unknown> | undefined)?.[step],
    props,
  );
}
