import * as pulumi from "@pulumi/pulumi";

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
    // Unlike `apply`, it resolves also if the value is not known yet.
    pulumi.Output.isInstance(value)
      ? await (value as unknown as { promise(withUnknowns: boolean): unknown }).promise(true)
      : value,
  ]);
  return Object.fromEntries(await Promise.all(plain));
}
