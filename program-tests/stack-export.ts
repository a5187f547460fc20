import { isMap, isSecret, mapValue, parseUrn, type Secret } from "../recorder/index.ts";
import { hiddenSecret } from "../sdk/impact/hidden-values.ts";

/** State of a stack, read from the output of `pulumi stack export`. */
export interface StackExport {
  readonly project: string;
  readonly stack: string;
  /** Each encrypted secret is the text `[secret]`, still marked as a secret. */
  readonly resources: readonly ResourceState[];
  /** Whether secrets are encrypted, so that their values are not known. */
  readonly isEncrypted: boolean;
}

export interface ResourceState {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

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
    resources: readable(resources) as ResourceState[],
    isEncrypted: JSON.stringify(resources).includes('"ciphertext"'),
  };
}

interface Exported {
  readonly version?: unknown;
  readonly deployment?: { readonly resources?: readonly ResourceState[] };
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

/** Replaces each ciphertext, because only the passphrase or key of the stack decrypts it. */
const readable = (value: unknown): unknown =>
  mapValue(value, (part) => {
    if (!isSecret(part)) return undefined;
    const { ciphertext, ...secret } = part as Secret & { ciphertext?: string };
    if (ciphertext === undefined) return { value: part };
    return { value: { ...secret, plaintext: JSON.stringify(hiddenSecret) } };
  });

/** Returns the outputs of other stacks that the stack has read, by their names. */
export const referencedStacks = ({ resources }: StackExport): ReadonlyMap<string, unknown> =>
  new Map(
    resources
      .filter(({ type }) => type === "pulumi:pulumi:StackReference")
      .map(({ id = "", outputs }) => [id, isMap(outputs) ? (outputs.outputs ?? {}) : {}]),
  );
