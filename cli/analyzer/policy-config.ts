import { z } from "zod";
import { formatPath } from "../../sdk/errors.ts";
import { stackRules } from "../../sdk/rules/objects/index.ts";
import { UsageError } from "../exit-code.ts";
import { readText } from "../read-text.ts";

export const policyLevels = ["advisory", "mandatory", "remediate", "disabled"] as const;

export type PolicyLevel = (typeof policyLevels)[number];

export interface PolicySetting {
  readonly level?: PolicyLevel | undefined;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export type PolicySettings = ReadonlyMap<string, PolicySetting>;

const Level = z.enum(policyLevels);
const Setting = z
  .union([Level, z.looseObject({ enforcementLevel: Level.optional() })])
  .transform((written) => (typeof written === "string" ? { enforcementLevel: written } : written));

/**
 * Reads a policy configuration in the format of `pulumi preview --policy-pack-config`: policy to level, or to an object
 * with `enforcementLevel` and the policy's parameters. `all` is the level of policies that set no level.
 *
 * @param file undefined for the defaults of all policies
 * @param policies all policies of the packs
 * @throws UsageError if the file or its content is invalid
 */
export async function readPolicyConfig(
  file: string | undefined,
  policies: ReadonlyArray<{ readonly name: string }>,
): Promise<PolicySettings> {
  if (file === undefined) return new Map();
  const written = parseJson(file, await readText(file));
  const parsed = z.record(z.string(), Setting).safeParse(written);
  if (!parsed.success) throw new UsageError(`${file}: ${problemsOf(parsed.error)}`);
  const { all, ...named } = parsed.data;
  const names = policies.map(({ name }) => name);
  const unknown = Object.keys(named).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new UsageError(
      `${file}: ${unknown.join(", ")}: no such policy in these packs; allowed: all, ${names.join(", ")}`,
    );
  return new Map(
    names.map((name) => {
      const { enforcementLevel, ...parameters } = named[name] ?? {};
      checkParameters(file, name, parameters);
      return [name, { level: enforcementLevel ?? all?.enforcementLevel, parameters }];
    }),
  );
}

function checkParameters(file: string, policy: string, parameters: object): void {
  const rule = stackRules.find(({ id }) => id === policy);
  const checked = rule && z.strictObject(rule.parameters.shape).safeParse(parameters);
  if (checked?.error) throw new UsageError(`${file}: ${policy}: ${problemsOf(checked.error)}`);
}

const problemsOf = ({ issues }: z.ZodError) =>
  issues
    .map(({ path, message }) => {
      const steps = path.map((step) => (typeof step === "symbol" ? String(step) : step));
      return steps.length === 0 ? message : `${formatPath(steps)}: ${message}`;
    })
    .join("; ");

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}
