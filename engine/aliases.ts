import { createUrn, parseUrn, ROOT_STACK_TYPE } from "./urn.ts";

/** A former identity of a resource: a URN, or the properties in which it differed. */
export type Alias =
  | { urn: string }
  | {
      name?: string;
      type?: string;
      stack?: string;
      project?: string;
      /** URN of the former parent. Default: the present parent. */
      parent?: string;
      /** Whether the resource had no parent. */
      noParent?: boolean;
    };

export interface Identity {
  stack: string;
  project: string;
  type: string;
  name: string;
  parent: string;
}

/**
 * Returns the URNs that a resource may have in the state, in order of preference, without its present one.
 * `formerUrns` returns the former URNs of a resource that was registered earlier: a child follows its parent's
 * aliases, and a child that is named after its parent follows the parent's former name.
 */
export function aliasUrns(
  resource: Identity,
  aliases: readonly Alias[],
  formerUrns: (urn: string) => readonly string[],
): string[] {
  const own = aliases.map((alias) => collapse(resource, alias, formerUrns));
  const inherited = formerUrns(resource.parent).flatMap((formerParent) =>
    [resource, ...own.map(parseUrn)].map(({ type, name }) =>
      inheritedUrn(resource, type, name, formerParent),
    ),
  );
  return [...new Set([...own, ...inherited])];
}

function collapse(
  resource: Identity,
  alias: Alias,
  formerUrns: (urn: string) => readonly string[],
): string {
  if ("urn" in alias) return alias.urn;
  const parent = alias.parent
    ? (formerUrns(alias.parent)[0] ?? alias.parent)
    : alias.noParent
      ? ""
      : resource.parent;
  return createUrn(
    alias.stack || resource.stack,
    alias.project || resource.project,
    parent !== "" && parseUrn(parent).qualifiedType === ROOT_STACK_TYPE ? "" : parent,
    alias.type || resource.type,
    alias.name || resource.name,
  );
}

function inheritedUrn(
  resource: Identity,
  type: string,
  name: string,
  formerParent: string,
): string {
  const parentName = parseUrn(resource.parent).name;
  const formerName = name.startsWith(parentName)
    ? parseUrn(formerParent).name + name.slice(parentName.length)
    : name;
  return createUrn(resource.stack, resource.project, formerParent, type, formerName);
}
