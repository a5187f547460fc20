import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RecordedResource } from "../../recorder/index.ts";
import { type PackName, packs } from "../../sdk/rules/helpers/packs.ts";
import {
  type AnalyzerProcess,
  type PackProcessOptions,
  type PolicyInfo,
  type PolicyViolation,
  type StartPack,
  startAnalyzer,
} from "../analyzer/analyzer-process.ts";
import { type PolicySettings, readPolicyConfig } from "../analyzer/policy-config.ts";
import { ownFolder } from "../checkout.ts";
import { UsageError } from "../exit-code.ts";
import { ensureOwnPacks } from "./own-packs.ts";

/** Several policy packs, combined. */
export interface PolicyPacks extends AsyncDisposable {
  readonly policies: readonly PolicyInfo[];
  remediate(resource: RecordedResource): Promise<Record<string, unknown> | undefined>;
  analyze(resource: RecordedResource): Promise<PolicyViolation[]>;
  analyzeStack(resources: readonly RecordedResource[]): Promise<PolicyViolation[]>;
}

export interface PolicyPacksOptions extends Omit<PackProcessOptions, "folder"> {
  /** Names of this package's packs, and folders of other packs. */
  packs: readonly string[];
  /** A file in the format of the Pulumi CLI's `--policy-pack-config`. */
  config?: string | undefined;
  /** Parameters by name, for every policy that has them and for which `config` does not set them. */
  parameters?: Readonly<Record<string, unknown>>;
  /** Default: `startAnalyzer`. */
  start?: StartPack | undefined;
}

/** @throws UsageError for an unknown pack, or an invalid configuration */
export async function startPolicyPacks({
  packs: named,
  config,
  parameters = {},
  start = startAnalyzer,
  ...options
}: PolicyPacksOptions): Promise<PolicyPacks> {
  const folders = named.map(packFolder);
  const started = await Promise.allSettled(folders.map((folder) => start({ ...options, folder })));
  const analyzers = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const stop = () => Promise.all(analyzers.map((each) => each[Symbol.asyncDispose]()));
  try {
    for (const each of started)
      if (each.status === "rejected") throw new UsageError(each.reason.message);
    const policies = analyzers.flatMap((each) => each.policies);
    const settings = withParameters(await readPolicyConfig(config, policies), policies, parameters);
    for (const each of analyzers) await each.configure(settings);
    return {
      policies,
      ...askedAsOne(analyzers),
      [Symbol.asyncDispose]: async () => void (await stop()),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function withParameters(
  settings: PolicySettings,
  policies: readonly PolicyInfo[],
  given: Readonly<Record<string, unknown>>,
): PolicySettings {
  return new Map(
    policies.map((policy) => {
      const setting = settings.get(policy.name);
      const taken = Object.entries(given).filter(([name]) => name in policy.parameters);
      const parameters = { ...Object.fromEntries(taken), ...setting?.parameters };
      return [policy.name, { ...setting, parameters }];
    }),
  );
}

function askedAsOne(analyzers: readonly AnalyzerProcess[]) {
  const fromAll = async (ask: (analyzer: AnalyzerProcess) => Promise<PolicyViolation[]>) =>
    (await Promise.all(analyzers.map(ask))).flat();
  return {
    async remediate(resource: RecordedResource) {
      let changed: Record<string, unknown> | undefined;
      // In sequence, because each pack gets the changes of the packs before it.
      for (const analyzer of analyzers) {
        const properties = changed ?? resource.properties;
        changed = (await analyzer.remediate({ ...resource, properties })) ?? changed;
      }
      return changed;
    },
    analyze: (resource: RecordedResource) => fromAll((each) => each.analyze(resource)),
    analyzeStack: (resources: readonly RecordedResource[]) =>
      fromAll((each) => each.analyzeStack(resources)),
  };
}

/** Returns the folder of a pack, which is also valid for the Pulumi CLI's `--policy-pack`. */
export function packFolder(pack: string): string {
  const isOurs = Object.hasOwn(packs, pack);
  const folder = isOurs ? ourFolder(pack as PackName | "inference") : resolve(pack);
  if (!existsSync(join(folder, "PulumiPolicy.yaml")))
    throw new UsageError(
      `--pack ${pack}: neither a folder with PulumiPolicy.yaml nor one of ${Object.keys(packs).join(", ")}`,
    );
  if (isOurs) ensureOwnPacks(ownFolder());
  return folder;
}

function ourFolder(pack: PackName | "inference"): string {
  const root = ownFolder();
  return pack === "inference" ? join(root, "policies") : join(root, "policies", pack);
}
