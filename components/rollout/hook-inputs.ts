import * as pulumi from "@pulumi/pulumi";
import { isMap } from "../../kubernetes/values/records.ts";
import { restartsPods } from "../../sdk/rollout/set-state.ts";

/** Inputs of a resource, as a hook receives them. */
export type Inputs = Readonly<Record<string, unknown>>;

/**
 * Returns inputs whose secrets are plain values. The SDK turns each input that contains a secret into one Output. A hook
 * compares the values and never prints them.
 */
export async function withoutSecrets(inputs: Inputs | undefined): Promise<Inputs | undefined> {
  if (inputs === undefined) return undefined;
  const plain = Object.entries(inputs).map(async ([key, value]) => [
    key,
    isOutput(value) ? await value.promise(true) : value,
  ]);
  return Object.fromEntries(await Promise.all(plain));
}

/** Unlike `apply`, `promise` resolves also if the value is not known yet. Inputs may contain a map with the mark of Outputs. */
const isOutput = (value: unknown): value is { promise(withUnknowns: boolean): Promise<unknown> } =>
  pulumi.Output.isInstance(value) && typeof (value as { promise?: unknown }).promise === "function";

/** An update of a LeaderWorkerSet, as its hooks receive it. */
export interface SetUpdate {
  readonly before: Inputs | undefined;
  readonly after: Inputs | undefined;
  readonly name: string;
  readonly namespace: string;
  /** Whether the pods restart. An update that cannot be compared restarts them. */
  readonly restarts: boolean;
}

/** Reads the inputs before and after. A secret value changes nothing but its display. */
export async function updateOf({
  oldInputs,
  newInputs,
}: Pick<pulumi.ResourceHookArgs, "oldInputs" | "newInputs">): Promise<SetUpdate> {
  const [before, after] = await Promise.all([oldInputs, newInputs].map(withoutSecrets));
  // A name that is not known yet is the old one: names cannot change in place.
  const name = nameInInputs(after, "name") ?? nameInInputs(before, "name") ?? "";
  const namespace = nameInInputs(after, "namespace") ?? "default";
  const restarts = restartsPods(before?.spec, after?.spec);
  return { before, after, name, namespace, restarts };
}

function nameInInputs(inputs: Inputs | undefined, field: "name" | "namespace"): string | undefined {
  const metadata = inputs?.metadata;
  const name = isMap(metadata) ? metadata[field] : undefined;
  return typeof name === "string" ? name : undefined;
}
