/** Fields of an object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields, and neither null nor a list. */
export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a list, or an empty one for any other value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns whether a value is a map and no instance of a class. Pulumi resources refer to each other in cycles. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns a field of a map, but not an inherited one: fields may be called `constructor` or `valueOf`. */
export const ownField = (map: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/** Returns an error's message, or a thrown value of another type as a string. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
