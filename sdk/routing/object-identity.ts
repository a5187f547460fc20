import { z } from "zod";
import { messageOf } from "../../kubernetes/values/records.ts";
import type { Aged } from "./age.ts";

/** Which object it is. */
export interface ObjectIdentity extends Aged {
  /** `namespace/name` where a file does not say. */
  readonly uid: string;
}

/** Metadata of an object of an API server or of a file. Unknown fields are passed over. */
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

/** Why an object could not be read: each wrong field, on one line. */
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
