import type { z } from "zod";
import { isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";

/** An object as it was written, whatever is wrong with it. Rules look at the parts that have the right shape. */
export interface RawSpec {
  readonly metadata: {
    readonly name?: unknown;
    readonly namespace?: unknown;
    readonly annotations?: unknown;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Stands for a value that is known later, wherever a schema asks for a string. */
export const knownLater = "known-later";

/** An element of a list that has the right shape, with its place. */
export interface PlacedElement<T> {
  readonly index: number;
  readonly value: T;
}

/** The well-formed elements of a list, so that a malformed one does not hide what is wrong with the others. */
export function wellFormed<T>(schema: z.ZodType<T>, list: unknown): PlacedElement<T>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) => {
    const result = schema.safeParse(entry);
    return result.success ? [{ index, value: result.data }] : [];
  });
}

/** The exports of a spec with their paths: a pool's own, and those of a service's roles. */
export function exportsOf(
  spec: RawSpec["spec"],
): Array<readonly [path: Path, exported: Readonly<Record<string, unknown>>]> {
  const roles: unknown[] = Array.isArray(spec.roles) ? spec.roles : [];
  const written: ReadonlyArray<readonly [Path, unknown]> = [
    [["export"], spec.export],
    ...roles.map((role, at) => [["roles", at, "export"], exportOf(role)] as const),
  ];
  return written.flatMap(([path, exported]) =>
    isMap(exported) ? [[path, exported] as const] : [],
  );
}

const exportOf = (role: unknown): unknown =>
  (role as { readonly export?: unknown } | null | undefined)?.export;
