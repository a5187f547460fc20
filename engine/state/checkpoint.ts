import { createHash } from "node:crypto";
import {
  containsSecrets,
  isMap,
  isSecret,
  mapValue,
  type PropertyMap,
  type PropertyValue,
  SIGNATURE,
  secret,
} from "../property-value.ts";
import { dependencyOrder } from "./dependency-order.ts";
import type { SecretsManager } from "./passphrase.ts";
import { type PendingOperation, type ResourceState, referencesOf } from "./resource-state.ts";

/** State in the format of `pulumi stack export` and `pulumi stack import`. Secrets are encrypted. */
export interface Checkpoint {
  version: 3;
  deployment: {
    manifest: { time: string; magic: string; version: string };
    secrets_providers?: { type: "passphrase"; state: { salt: string } };
    resources?: ResourceState[];
    pending_operations?: PendingOperation[];
    metadata?: Record<string, never>;
  };
}

/** The Pulumi version that defines this state format. */
const PULUMI_VERSION = "3.270.0";

export interface StackContents {
  resources: ResourceState[];
  pending: PendingOperation[];
}

/**
 * Returns the checkpoint of a stack's contents, with encrypted secrets. `secrets` is undefined if the stack never had a
 * secret.
 */
export function toCheckpoint(
  { resources, pending }: StackContents,
  secrets: SecretsManager | undefined,
  time: string,
): Checkpoint {
  return {
    version: 3,
    deployment: {
      manifest: {
        time,
        magic: createHash("sha256").update(PULUMI_VERSION).digest("hex"),
        version: PULUMI_VERSION,
      },
      ...(secrets && { secrets_providers: { type: "passphrase", state: { salt: secrets.salt } } }),
      resources: dependencyOrder(withValidReferences(resources)).map((resource) =>
        encryptResource(resource, secrets),
      ),
      ...(pending.length > 0 && {
        pending_operations: pending.map((operation) => ({
          ...operation,
          resource: encryptResource(operation.resource, secrets),
        })),
      }),
      metadata: {},
    },
  };
}

export function fromCheckpoint(
  checkpoint: Checkpoint,
  secrets: SecretsManager | undefined,
): StackContents {
  const { resources = [], pending_operations = [] } = checkpoint.deployment;
  return {
    resources: resources.map((resource) => decryptResource(resource, secrets)),
    pending: pending_operations.map((operation) => ({
      ...operation,
      resource: decryptResource(operation.resource, secrets),
    })),
  };
}

export function checkpointSalt(checkpoint: Checkpoint | undefined): string | undefined {
  const provider = checkpoint?.deployment.secrets_providers;
  if (provider !== undefined && provider.type !== "passphrase") {
    throw new Error(
      `the stack's secrets are kept by ${JSON.stringify(provider.type)}; only the passphrase provider is supported: change it with pulumi stack change-secrets-provider passphrase`,
    );
  }
  return provider?.state.salt;
}

export function needsSecrets(resource: ResourceState): boolean {
  return (
    containsSecrets(resource.inputs) ||
    containsSecrets(resource.outputs) ||
    containsSecrets(resource.replacementTrigger)
  );
}

export function encryptResource(
  resource: ResourceState,
  secrets: SecretsManager | undefined,
): ResourceState {
  return mapProperties(resource, (value) =>
    mapSecrets(value, (text) => {
      if (secrets === undefined)
        throw new Error(`${resource.urn} has a secret and the stack no passphrase`);
      return secrets.encrypt(text, resource.urn);
    }),
  );
}

export function decryptResource(
  resource: ResourceState,
  secrets: SecretsManager | undefined,
): ResourceState {
  return mapProperties(resource, (value) =>
    mapCiphertexts(value, (ciphertext) => {
      if (secrets === undefined)
        throw new Error(`${resource.urn} has a secret that cannot be decrypted`);
      return secrets.decrypt(ciphertext, resource.urn);
    }),
  );
}

// A secret inside a secret is encrypted with it, and only marked: its "ciphertext" is plain JSON.
const asItIs = (text: string) => text;

function mapSecrets(value: PropertyValue, encrypt: (text: string) => string): PropertyValue {
  return mapValue(value, (v) => {
    if (!isSecret(v)) return undefined;
    const text = JSON.stringify(mapSecrets(v.value, asItIs));
    return { value: { [SIGNATURE]: v[SIGNATURE], ciphertext: encrypt(text) } };
  });
}

function mapCiphertexts(
  value: PropertyValue,
  decrypt: (ciphertext: string) => string,
): PropertyValue {
  return mapValue(value, (v) => {
    if (!isMap(v) || !isSecret(v)) return undefined;
    const { ciphertext, plaintext } = v as { ciphertext?: string; plaintext?: string };
    const text = plaintext ?? decrypt(ciphertext ?? "");
    return { value: secret(mapCiphertexts(JSON.parse(text), asItIs)) };
  });
}

function mapProperties(
  resource: ResourceState,
  change: (value: PropertyValue) => PropertyValue,
): ResourceState {
  return {
    ...resource,
    ...(resource.inputs && { inputs: change(resource.inputs) as PropertyMap }),
    ...(resource.outputs && { outputs: change(resource.outputs) as PropertyMap }),
    ...(resource.replacementTrigger !== undefined && {
      replacementTrigger: change(resource.replacementTrigger),
    }),
  };
}

/**
 * Updates references to renamed resources, and removes references to deleted ones: an interrupted operation leaves
 * both, and the Pulumi CLI refuses a state with dangling references.
 */
function withValidReferences(resources: readonly ResourceState[]): ResourceState[] {
  const present = new Set(resources.map(({ urn }) => urn));
  const renamed = new Map(
    resources.flatMap(({ urn, aliases = [] }) => aliases.map((alias) => [alias, urn] as const)),
  );
  const current = (urn: string): string | undefined => (present.has(urn) ? urn : renamed.get(urn));
  return resources.map((resource) =>
    referencesOf(resource).every((urn) => present.has(urn))
      ? resource
      : repaired(resource, current),
  );
}

function repaired(
  resource: ResourceState,
  current: (urn: string) => string | undefined,
): ResourceState {
  const all = (urns: string[]) => urns.map(current).filter((urn) => urn !== undefined);
  const { parent, deletedWith, provider, dependencies, propertyDependencies, ...rest } = resource;
  const at = provider?.lastIndexOf("::") ?? -1;
  const repairedProvider = provider && current(provider.slice(0, at));
  return {
    ...rest,
    ...(parent && current(parent) && { parent: current(parent) }),
    ...(deletedWith && current(deletedWith) && { deletedWith: current(deletedWith) }),
    ...(provider && {
      provider: repairedProvider ? repairedProvider + provider.slice(at) : provider,
    }),
    ...(dependencies && { dependencies: all(dependencies) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([key, urns]) => [key, all(urns)]),
      ),
    }),
  };
}
