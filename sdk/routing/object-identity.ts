import { z } from "zod";
import { messageOf } from "../../kubernetes/values/records.ts";
import type { Aged } from "./age.ts";

/** Identity of an object. */
export interface ObjectIdentity extends Aged {
  /** `namespace/name` if the object is from a file without a uid. */
  readonly uid: string;
}

/** Metadata of an object from an API server or a file. Unknown fields are ignored. */
export const objectMetadata = z.object({
  name: z.string(),
  namespace: z.string().default("default"),
  uid: z.string().default(""),
  creationTimestamp: z.string().nullish(),
  deletionTimestamp: z.string().nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

export const identityOf = ({
  namespace,
  name,
  uid,
  creationTimestamp,
}: z.infer<typeof objectMetadata>): ObjectIdentity => ({
  namespace,
  name,
  uid: uid || `${namespace}/${name}`,
  creationTimestamp: creationTimestamp ?? "",
});

/** Returns the wrong fields of an unreadable object, on one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return messageOf(error);
  return error.issues
    .map(({ path, message }) => `${path.length === 0 ? "" : `${fieldOf(path)}: `}${message}`)
    .join("; ");
}

const fieldOf = (path: readonly PropertyKey[]) =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
