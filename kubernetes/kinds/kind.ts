/** API that serves a kind. */
export interface KindAddress {
  readonly group: string;
  readonly version: string;
  /** `group/version`, or only the version for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/**
 * Condition under which an object is ready. `exists`: as soon as it exists, also for kinds without a reliable status.
 * `provider`: Pulumi's Kubernetes provider has built-in rules for the kind, unless the annotation
 * `pulumi.com/skipAwait` is "true".
 */
export type Readiness =
  | "exists"
  | "provider"
  | {
      /** A `pulumi.com/waitFor` expression. */
      readonly waitFor: string;
      /** Time limit for waiting, in seconds. Default: 600, the limit of the provider. */
      readonly timeoutSeconds?: number;
    };

/** Facts about a kind that a client needs to create, await, update and replace its objects. */
export interface KindFacts extends KindAddress {
  /** Other versions, of this group or others, in which clusters serve the kind, in order of preference. */
  readonly otherVersions: readonly string[];
  /**
   * Immutable paths. The API server, a webhook or the kind's controller rejects a change there, so it replaces the
   * object. `spec.a` covers everything below it.
   */
  readonly immutable: readonly string[];
  /**
   * First step when an object is replaced under a new name. Under the same name, the old object is always deleted
   * first.
   */
  readonly replace: "delete-first" | "create-first";
  readonly readiness: Readiness;
}

/** Definition of a kind, without defaults. */
export interface KindDefinition
  extends Pick<KindAddress, "group" | "version" | "kind" | "plural" | "scope"> {
  readonly readiness: Readiness;
  /** Default: none. */
  readonly otherVersions?: readonly string[];
  /** Default none. */
  readonly immutable?: readonly string[];
  /** Default: create-first. */
  readonly replace?: KindFacts["replace"];
}

type ApiVersion<G extends string, V extends string> = G extends "" ? V : `${G}/${V}`;

type Addressed<A extends Omit<KindAddress, "apiVersion">> = A & {
  readonly apiVersion: ApiVersion<A["group"], A["version"]>;
};

/** Returns the address of a kind. */
export function address<const A extends Omit<KindAddress, "apiVersion">>(kind: A): Addressed<A> {
  const { group, version } = kind;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { ...kind, apiVersion: apiVersion as ApiVersion<A["group"], A["version"]> };
}

/** Returns `group/Kind`, by which rules refer to a kind in any version. */
export const groupKind = ({ group, kind }: Pick<KindAddress, "group" | "kind">): string =>
  `${group}/${kind}`;

/** Returns the facts of a kind, with defaults filled in. */
export function defineKind<const D extends KindDefinition>(
  definition: D,
): Addressed<D> & Required<KindDefinition> {
  const usual = { otherVersions: [], immutable: [], replace: "create-first" } as const;
  return { ...usual, ...address(definition) };
}

type AddressRow = readonly [
  group: string,
  version: string,
  plural: string,
  scope: KindAddress["scope"],
];
type KindRow = readonly [
  ...AddressRow,
  readiness: Readiness,
  exceptions?: Partial<Pick<KindFacts, "otherVersions" | "immutable" | "replace">>,
];

type AddressIn<K extends string, Row extends AddressRow | KindRow> = Addressed<{
  readonly group: Row[0];
  readonly version: Row[1];
  readonly kind: K;
  readonly plural: Row[2];
  readonly scope: Row[3];
}>;

/** Returns the addresses of a table of kinds, by kind. */
export const addressesIn = <const Rows extends Readonly<Record<string, AddressRow>>>(rows: Rows) =>
  Object.fromEntries(
    Object.entries(rows).map(([kind, [group, version, plural, scope]]) => [
      kind,
      address({ group, version, kind, plural, scope }),
    ]),
  ) as { readonly [K in keyof Rows & string]: AddressIn<K, Rows[K]> };

/** Returns the facts of a table of kinds, by kind. The exceptions are from the defaults of {@link KindDefinition}. */
export const kindsOf = <const Rows extends Readonly<Record<string, KindRow>>>(rows: Rows) =>
  Object.fromEntries(
    Object.entries(rows).map(([kind, [group, version, plural, scope, readiness, exceptions]]) => [
      kind,
      defineKind({ group, version, kind, plural, scope, readiness, ...exceptions }),
    ]),
  ) as {
    readonly [K in keyof Rows & string]: AddressIn<K, Rows[K]> &
      Required<KindDefinition> & { readonly readiness: Rows[K][4] };
  };

/** Returns the address of a kind in another group or version. */
export function addressOf(kind: KindAddress, apiVersion: string): KindAddress {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const { plural, scope } = kind;
  return { group, version, apiVersion, kind: kind.kind, plural, scope };
}

/** Returns the addresses of a kind in all versions, the preferred one first. */
export const addressesOf = (kind: KindFacts): readonly KindAddress[] =>
  [kind.apiVersion, ...kind.otherVersions].map((apiVersion) => addressOf(kind, apiVersion));

/** Returns the name of a kind's objects in messages and logs, such as `apps/v1/deployments`. */
export const resourceName = ({ apiVersion, plural }: Pick<KindAddress, "apiVersion" | "plural">) =>
  `${apiVersion}/${plural}`;
