import { z } from "zod";
import { nonEmptyText } from "../../kubernetes/kinds/field-types.ts";
import { share } from "../spec/flow-control.ts";
import { poolKinds } from "../spec/llm-service.ts";
import { maxWeight, secondsOf } from "../spec/model-target.ts";
import { identityOf, type ObjectIdentity, objectMetadata, reasonOf } from "./object-identity.ts";
import type { LLMServiceObject, RegisteredModel } from "./registrations.ts";

/** The readable part of an LLMService. */
export interface LLMServiceReading {
  /** Undefined for an LLMService that is being deleted, so that its names are free immediately. */
  readonly service: (LLMServiceObject & ObjectIdentity) | undefined;
  /** The parts that were left out, each with the reason. */
  readonly problems: readonly string[];
}

const serviceSchema = z.object({
  metadata: objectMetadata,
  spec: z.object({
    models: z.array(z.unknown()).nullish(),
    // Name of the field in the proposal's YAML.
    LLMServices: z.array(z.unknown()).nullish(),
    poolRef: z.array(z.unknown()).nullish(),
    share: z.unknown().optional(),
  }),
});

/**
 * Reads an LLMService with the field names of the proposal's Go types or of its YAML. Unreadable models and references
 * are left out; unknown fields are ignored.
 * @throws ZodError if nothing can be read, for `reasonOf`
 */
export function readLLMService(object: unknown): LLMServiceReading {
  const { metadata, spec } = serviceSchema.parse(object);
  if (metadata.deletionTimestamp) return { service: undefined, problems: [] };
  const problems: string[] = [];
  const field = spec.models ? "models" : "LLMServices";
  const models = readEach(modelSchema, spec[field] ?? [], `spec.${field}`, problems);
  const references = readEach(referenceSchema, spec.poolRef ?? [], "spec.poolRef", problems);
  return {
    service: {
      ...identityOf(metadata),
      share: shareOf(spec.share, problems),
      models: firstOfEachName(models, `spec.${field}`, problems),
      pools: references.map(({ name, namespace }) => ({
        namespace: namespace || metadata.namespace,
        name,
      })),
    },
    problems,
  };
}

/** Returns the share, or 1 if it cannot be read: the service is served anyway. */
function shareOf(written: unknown, problems: string[]): number {
  if (written === undefined || written === null) return 1;
  const reading = share.safeParse(written);
  if (reading.success) return reading.data;
  problems.push(`spec.share: ${reasonOf(reading.error)}`);
  return 1;
}

const targetSchema = z
  .object({
    name: nonEmptyText.nullish(),
    targetModelName: nonEmptyText.nullish(),
    weight: z.int().min(0).max(maxWeight).nullish(),
  })
  .transform(({ name, targetModelName, weight }, context) => {
    const model = name ?? targetModelName;
    if (model !== null && model !== undefined) return { model, weight: weight ?? undefined };
    context.addIssue("give a name");
    return z.NEVER;
  });

const latencySchema = z
  .string()
  .nullish()
  .transform((text, context) => {
    if (text === null || text === undefined) return undefined;
    const seconds = secondsOf(text);
    if (seconds !== undefined && seconds > 0) return seconds;
    context.addIssue(`${JSON.stringify(text)} is not a duration such as 50ms`);
    return z.NEVER;
  });

const objectiveSchema = z.object({
  desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: latencySchema,
  desiredTimeToFirstTokenAtP95OverMultipleRequests: latencySchema,
});

const modelSchema = z
  .object({
    name: nonEmptyText.nullish(),
    modelName: nonEmptyText.nullish(),
    objective: objectiveSchema.nullish(),
    targetModels: z.array(targetSchema).nullish(),
  })
  .transform(({ name, modelName, objective, targetModels }, context): RegisteredModel => {
    const model = name ?? modelName;
    if (model === null || model === undefined) {
      context.addIssue("give a name");
      return z.NEVER;
    }
    return {
      name: model,
      critical: objective !== null && objective !== undefined,
      objectiveSeconds: objective?.desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests,
      firstTokenSeconds: objective?.desiredTimeToFirstTokenAtP95OverMultipleRequests,
      targets: targetModels ?? [],
    };
  });

const referenceSchema = z.object({
  kind: z.enum(poolKinds).nullish(),
  namespace: z.string().nullish(),
  name: nonEmptyText,
});

function readEach<T>(
  schema: z.ZodType<T>,
  list: readonly unknown[],
  field: string,
  problems: string[],
): T[] {
  return list.flatMap((each, at) => {
    const reading = schema.safeParse(each);
    if (reading.success) return [reading.data];
    problems.push(`${field}[${at}]: ${reasonOf(reading.error)}`);
    return [];
  });
}

function firstOfEachName(
  models: readonly RegisteredModel[],
  field: string,
  problems: string[],
): RegisteredModel[] {
  const byName = new Map<string, RegisteredModel>();
  for (const model of models) {
    if (byName.has(model.name))
      problems.push(`${field}: ${model.name} is listed twice; the first entry applies`);
    else byName.set(model.name, model);
  }
  return [...byName.values()];
}
