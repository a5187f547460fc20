import type { z } from "zod";
import { isMap } from "../../../kubernetes/values/records.ts";
import type { Path } from "../../errors.ts";

/** An object as written, possibly malformed. Rules check only the well-formed parts. */
export interface RawSpec {
  readonly metadata: {
    readonly name?: unknown;
    readonly namespace?: unknown;
    readonly annotations?: unknown;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A well-formed element of a list, with its index. */
export interface LocatedElement<T> {
  readonly index: number;
  readonly value: T;
}

/** Returns the well-formed elements of a list, so that a malformed element does not hide problems in the others. */
export function wellFormed<T>(schema: z.ZodType<T>, list: unknown): LocatedElement<T>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) => {
    const result = schema.safeParse(entry);
    return result.success ? [{ index, value: result.data }] : [];
  });
}

/** Returns the exports of a spec with their paths: the export of a pool, or the exports of a service's roles. */
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
