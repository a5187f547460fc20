/** The API that serves a kind. */
export interface KindAddress {
  readonly group: string;
  readonly version: string;
  /** `group/version`, or the version alone of the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/**
 * When an object does its work. `exists`: at once, or when its status says nothing that can be relied on. `provider`:
 * the Kubernetes provider of Pulumi awaits the kind by rules of its own, unless the annotation
 * `pulumi.com/skipAwait` is "true".
 */
export type Readiness =
  | "exists"
  | "provider"
  | {
      /** A `pulumi.com/waitFor` expression. */
      readonly waitFor: string;
      /** How long waiting may take; the provider's own limit is 600. */
      readonly timeoutSeconds?: number;
    };

/** What a client has to know of a kind to create, await, update and replace its objects. */
export interface KindFacts extends KindAddress {
  /** Other versions, of this group or others, in which clusters serve the kind; the ones preferred come first. */
  readonly otherVersions: readonly string[];
  /**
   * Paths that an update may not touch: the API server, a webhook or the controller behind the kind refuses it,
   * so a change there replaces the object. `spec.a` covers everything below it.
   */
  readonly immutable: readonly string[];
  /** What happens first when an object is replaced under a new name. Under the same name deleting always does. */
  readonly replace: "delete-first" | "create-first";
  readonly readiness: Readiness;
}

/** What is written about a kind. */
export interface KindDefinition
  extends Pick<KindAddress, "group" | "version" | "kind" | "plural" | "scope"> {
  readonly readiness: Readiness;
  /** Default none. */
  readonly otherVersions?: readonly string[];
  /** Default none. */
  readonly immutable?: readonly string[];
  /** Default create-first. */
  readonly replace?: KindFacts["replace"];
}

type ApiVersion<G extends string, V extends string> = G extends "" ? V : `${G}/${V}`;

type Addressed<A extends Omit<KindAddress, "apiVersion">> = A & {
  readonly apiVersion: ApiVersion<A["group"], A["version"]>;
};

/** The address of a kind. */
export function address<const A extends Omit<KindAddress, "apiVersion">>(kind: A): Addressed<A> {
  const { group, version } = kind;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { ...kind, apiVersion: apiVersion as ApiVersion<A["group"], A["version"]> };
}

/** The facts of a kind, with the defaults. */
export function defineKind<const D extends KindDefinition>(
  definition: D,
): Addressed<D> & Required<KindDefinition> {
  const usual = { otherVersions: [], immutable: [], replace: "create-first" } as const;
  return { ...usual, ...address(definition) };
}

/** The kind as another group or version serves it. */
export function addressOf(kind: KindAddress, apiVersion: string): KindAddress {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const { plural, scope } = kind;
  return { group, version, apiVersion, kind: kind.kind, plural, scope };
}

/** The addresses of a kind in all versions, the preferred one first. */
export const addressesOf = (kind: KindFacts): readonly KindAddress[] =>
  [kind.apiVersion, ...kind.otherVersions].map((apiVersion) => addressOf(kind, apiVersion));

/** `apps/v1/deployments`: how messages and logs name the objects of a kind. */
export const resourceName = ({ apiVersion, plural }: Pick<KindAddress, "apiVersion" | "plural">) =>
  `${apiVersion}/${plural}`;
