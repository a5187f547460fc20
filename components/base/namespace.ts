import * as pulumi from "@pulumi/pulumi";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isDnsLabel } from "../../kubernetes/values/dns-label.ts";
import { isPlainObject } from "../../kubernetes/values/records.ts";
import type { Metadata } from "../../sdk/spec/inference-service.ts";

/**
 * A namespace that is only known later, such as `ns.metadata.name`. It decides nothing: a plan writes it, alone or
 * within a string such as a host name. Therefore the plan is made with a placeholder, which the Output replaces in
 * every planned object.
 */
/** DNS label that satisfies the rules on namespaces and that no other object uses. */
const placeholder = "namespace-known-later-x7q2";

/** Metadata with the planned namespace, and the namespace that the program passed. */
export interface Namespaced {
  readonly metadata: Metadata;
  /** Plain if the program passed a plain value. */
  readonly namespace: pulumi.Input<string>;
}

/**
 * Returns metadata that rules and plans can read. A value that is not a plain object is returned unchanged, for the
 * schema to reject.
 */
export function withPlannedNamespace(metadata: unknown): unknown {
  const namespace = writtenNamespace(metadata);
  return isDeferred(namespace) ? { ...(metadata as object), namespace: placeholder } : metadata;
}

/**
 * Returns the namespace of validated metadata, as written.
 *
 * @param object name of the object in the namespace, for the error if the Output's value is invalid
 */
export function namespaceOf(
  object: string,
  written: unknown,
  planned: { readonly namespace: string },
): pulumi.Input<string> {
  const namespace = writtenNamespace(written);
  if (!isDeferred(namespace)) return planned.namespace;
  return pulumi.output(namespace as pulumi.Input<string | undefined>).apply((known) => {
    if (typeof known === "string" && isDnsLabel(known)) return known;
    const given = known === undefined ? "an Output of undefined" : JSON.stringify(known);
    throw new pulumi.RunError(
      `${readable(object)}: metadata.namespace: is ${given}; ` +
        "allowed: a DNS label: lower-case letters, digits and dashes, at most 63 characters. " +
        "Pass the name of a namespace, as ns.metadata.name of a Namespace.",
    );
  });
}

function writtenNamespace(metadata: unknown): unknown {
  if (metadata === null || typeof metadata !== "object" || isDeferred(metadata)) return undefined;
  return (metadata as { namespace?: unknown }).namespace;
}

/**
 * Runs a function that needs a namespace: immediately if the namespace is plain, otherwise once it is known.
 *
 * @returns the namespace, which is known only after the function has run
 */
export function after(
  namespace: pulumi.Input<string>,
  act: (namespace: string) => void,
): pulumi.Input<string> {
  if (typeof namespace !== "string") {
    return pulumi.output(namespace).apply((known) => {
      act(known);
      return known;
    });
  }
  act(namespace);
  return namespace;
}

/**
 * Returns a value of a plan with the placeholder replaced by the namespace. A plan without placeholders is returned
 * unchanged.
 */
export function inNamespace<T>(value: T, namespace: pulumi.Input<string>): T {
  return filled(value, namespace) as T;
}

function filled(value: unknown, namespace: pulumi.Input<string>): unknown {
  if (typeof value === "string") return filledText(value, namespace);
  if (Array.isArray(value)) return value.map((entry) => filled(entry, namespace));
  if (isDeferred(value) || !isPlainObject(value)) return value;
  const hasKeys = typeof namespace !== "string" && Object.keys(value).some(hasPlaceholder);
  if (hasKeys) return pulumi.output(namespace).apply((known) => filled(value, known));
  return Object.fromEntries(
    Object.entries(value).map(([field, entry]) => [
      typeof namespace === "string" ? field.replaceAll(placeholder, namespace) : field,
      filled(entry, namespace),
    ]),
  );
}

const hasPlaceholder = (text: string) => text.includes(placeholder);

function filledText(text: string, namespace: pulumi.Input<string>): pulumi.Input<string> {
  if (!hasPlaceholder(text)) return text;
  if (typeof namespace === "string") return text.replaceAll(placeholder, namespace);
  if (text === placeholder) return namespace;
  return pulumi.output(namespace).apply((known) => text.replaceAll(placeholder, known));
}

/** Returns a plan's text with the placeholder replaced for display. */
export const readable = (text: string): string =>
  text
    .replaceAll(` in namespace ${placeholder}`, "")
    .replaceAll(placeholder, "(a namespace that is not known yet)");

/** Returns a part of a name without the placeholder. */
export const withoutNamespace = (name: string): string =>
  name.replaceAll(placeholder, "").replaceAll(/^-+|-+$/g, "");
