import { brotliDecompressSync } from "node:zlib";
import { packedSchemas } from "./packed-schemas.ts";

/** Schema of a value in OpenAPI v3, as CustomResourceDefinitions and the API server publish it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  /** Value that the API server sets if the field is missing. */
  readonly default?: unknown;
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

export interface ObjectSchemas {
  /** Definition of `metadata`. */
  readonly metadata: string;
  /** Schemas that `$ref` names. */
  readonly definitions: Readonly<Record<string, Schema>>;
  /** By `group/version/Kind`, without `apiVersion`, `kind`, `metadata` and `status`. */
  readonly kinds: Readonly<Record<string, { readonly source: string; readonly schema: Schema }>>;
}

let unpacked: ObjectSchemas | undefined;

/**
 * Returns the schemas of the built-in kinds and of the CRDs in the releases that the tests run against, without CEL
 * rules.
 */
export function objectSchemas(): ObjectSchemas {
  unpacked ??= JSON.parse(
    String(brotliDecompressSync(Buffer.from(packedSchemas, "base64"))),
  ) as ObjectSchemas;
  return unpacked;
}
