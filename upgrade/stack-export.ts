import {
  type Checkpoint,
  isSecret,
  mapValue,
  parseUrn,
  type ResourceState,
} from "../engine/index.ts";

/** State of a stack, read from the output of `pulumi stack export`. Its secrets are plain values. */
export interface StackExport {
  readonly project: string;
  readonly stack: string;
  readonly checkpoint: Checkpoint;
  /** Whether `[secret]` replaces the secrets, because the export contains only their ciphertexts. */
  readonly isEncrypted: boolean;
}

/** Value of every secret that is not compared. */
export const hiddenSecret = "[secret]";

/**
 * Reads the output of `pulumi stack export`, as text or parsed.
 *
 * @throws Error if the value is another one, has an unknown version, or contains no resources
 */
export function readExport(state: string | object): StackExport {
  const { version, deployment } = (typeof state === "string" ? parsed(state) : state) as Exported;
  const { resources } = deployment ?? {};
  if (version === undefined || deployment === undefined)
    throw new Error(
      "state: has no `version` and `deployment`; allowed: the output of `pulumi stack export`",
    );
  // Version 4 adds fields of resources, such as their hooks.
  if (version !== 3 && version !== 4)
    throw new Error(
      `state: version is ${JSON.stringify(version)}; allowed: 3 and 4. Export the stack with Pulumi CLI 3.`,
    );
  const [first] = resources ?? [];
  if (resources === undefined || first === undefined)
    throw new Error("state: contains no resources; export the stack after `pulumi up`");
  const { project, stack } = parseUrn(first.urn);
  return {
    project,
    stack,
    // Secrets are plain values here, so no provider of secrets is needed.
    checkpoint: {
      version: 3,
      deployment: { manifest: deployment.manifest, resources: resources.map(withPlainSecrets) },
    },
    isEncrypted: JSON.stringify(resources).includes('"ciphertext"'),
  };
}

interface Exported {
  readonly version?: unknown;
  readonly deployment?: {
    readonly manifest: Checkpoint["deployment"]["manifest"];
    readonly resources?: readonly ResourceState[];
  };
}

function parsed(text: string): object {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    throw new Error(
      'state: is not JSON; allowed: the output of `pulumi stack export`, such as readFileSync("prod.json", "utf8")',
    );
  }
}

const withPlainSecrets = (resource: ResourceState): ResourceState => ({
  ...resource,
  ...(resource.inputs && { inputs: plain(resource.inputs) }),
  ...(resource.outputs && { outputs: plain(resource.outputs) }),
});

/** Returns a value of a state in which a secret is its plain value, or `[secret]` if it is encrypted. */
const plain = <T>(value: T): T =>
  mapValue(value, (part) => {
    if (!isSecret(part)) return undefined;
    const { plaintext } = part as { plaintext?: string };
    return { value: plaintext === undefined ? hiddenSecret : plain(JSON.parse(plaintext)) };
  }) as T;
