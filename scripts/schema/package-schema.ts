/** The schema that other languages use, from the root of the repository. */
export const schemaFile = "plugin/schema.json";

/** The parts of a Pulumi package schema that this project uses. */
export interface PackageSchema {
  readonly name: string;
  readonly version: string;
  readonly language: Readonly<Record<string, object>>;
  readonly resources: Readonly<Record<string, ResourceSchema>>;
  readonly types: Readonly<Record<string, TypeSchema>>;
}

export interface ResourceSchema {
  readonly description?: string;
  readonly isComponent?: boolean;
  readonly inputProperties: Readonly<Record<string, PropertySchema>>;
  readonly requiredInputs?: readonly string[];
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

export interface TypeSchema {
  readonly description?: string;
  readonly type: string;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
  readonly enum?: ReadonlyArray<{ readonly name?: string; readonly value: string }>;
}

export interface PropertySchema {
  readonly description?: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly plain?: boolean;
  readonly items?: PropertySchema;
  readonly additionalProperties?: PropertySchema;
}
