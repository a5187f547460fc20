/** Type of the resource that is the root of a stack. URNs of other resources omit it. */
export const ROOT_STACK_TYPE = "pulumi:pulumi:Stack";

const PROVIDER_TYPE_PREFIX = "pulumi:providers:";

export interface UrnParts {
  stack: string;
  project: string;
  /** The types of the ancestors and of the resource, joined by `$`. */
  qualifiedType: string;
  type: string;
  name: string;
}

/** Returns `urn:pulumi:<stack>::<project>::<types of ancestors$type>::<name>`; `parent` is a URN or empty. */
export function createUrn(
  stack: string,
  project: string,
  parent: string,
  type: string,
  name: string,
): string {
  const parentType = parent === "" ? "" : parseUrn(parent).qualifiedType;
  const qualified =
    parentType === "" || parentType === ROOT_STACK_TYPE ? type : `${parentType}$${type}`;
  return `urn:pulumi:${stack}::${project}::${qualified}::${name}`;
}

export function parseUrn(urn: string): UrnParts {
  const [head, project, qualifiedType, ...name] = urn.split("::");
  const stack = head?.startsWith("urn:pulumi:") ? head.slice("urn:pulumi:".length) : undefined;
  if (stack === undefined || project === undefined || qualifiedType === undefined) {
    throw new Error(
      `${JSON.stringify(urn)} is not a URN; a URN has the form urn:pulumi:stack::project::type::name`,
    );
  }
  // A type may contain a `$` only as the separator.
  const type = qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1);
  return { stack, project, qualifiedType, type, name: name.join("::") };
}

/** Returns `kubernetes` for `kubernetes:core/v1:ConfigMap` and for the type of its provider. */
export function packageOf(type: string): string {
  return isProviderType(type)
    ? type.slice(PROVIDER_TYPE_PREFIX.length)
    : type.slice(0, type.indexOf(":"));
}

export function isProviderType(type: string): boolean {
  return type.startsWith(PROVIDER_TYPE_PREFIX);
}

export function providerType(packageName: string): string {
  return PROVIDER_TYPE_PREFIX + packageName;
}

/** Parses a provider reference: the provider's URN, `::` and its id. */
export function parseProviderReference(reference: string): { urn: string; id: string } {
  const at = reference.lastIndexOf("::");
  return { urn: reference.slice(0, at), id: reference.slice(at + 2) };
}
