import {
  type AnalyzedResource,
  isSecret,
  loadProject,
  mapValue,
  memoryState,
  openStack,
  type ProgramFunction,
  previewDigest,
  readProject,
  type StackOptions,
} from "../engine/index.ts";
import { impactOf, type LostObject, type ServiceImpact } from "../sdk/impact/impact.ts";
import { readPreview } from "../sdk/impact/preview.ts";
import { hiddenSecret, readExport, type StackExport } from "./stack-export.ts";

export interface UpgradeOptions {
  /**
   * Output of `pulumi stack export`, as text or parsed. If its secrets are encrypted, they count as unchanged. With
   * `--show-secrets` they are compared.
   */
  readonly state: string | object;
  /** Folder with Pulumi.yaml, whose program runs in a separate process, or a function of this process. */
  readonly program: { readonly dir: string } | { readonly run: ProgramFunction };
  /**
   * Configuration of the stack, with secrets in plain text. A key without a namespace belongs to the project. Default:
   * Pulumi.<stack>.yaml in the folder of the program; no configuration for a function.
   */
  readonly config?: Readonly<Record<string, string>>;
}

/** Effect of an update. Objects have the form `LeaderWorkerSet prod/qwen-decode`. */
export interface UpgradeImpact {
  /** Objects that the update replaces, with the cause and how to avoid it. */
  readonly replaced: readonly LostObject[];
  /** Objects that the update deletes, with how to avoid it. */
  readonly deleted: readonly LostObject[];
  readonly created: readonly string[];
  readonly updated: readonly string[];
  /**
   * LeaderWorkerSets, and Deployments and StatefulSets with accelerators, in `updated` whose pods restart, because their
   * pod template changes.
   */
  readonly restarted: readonly string[];
  /** Accelerators of all replicas that restart or stop. */
  readonly restartedGpus: number;
  /** Effect on each service: the same as `pulumi-inference impact --format json` prints. */
  readonly services: readonly ServiceImpact[];
}

/**
 * Previews the update of a stack from its exported state, without a cluster, and returns the effect. A test can then
 * prove that a new version of a dependency replaces, deletes and restarts nothing:
 *
 * ```ts
 * const state = readFileSync("prod.json", "utf8");
 * const { replaced, deleted, restarted } = await checkUpgrade({ state, program: { dir: "." } });
 * expect({ replaced, deleted, restarted }).toEqual({ replaced: [], deleted: [], restarted: [] });
 * ```
 *
 * Values that the program reads from the cluster or from other stacks are the values in the state.
 *
 * @throws Error if `state` is not the export of a stack of this program, and if the preview fails
 */
export async function checkUpgrade(options: UpgradeOptions): Promise<UpgradeImpact> {
  const exported = readExport(options.state);
  const stack = openStack({
    ...(await stackOf(options, exported)),
    state: await stateOf(exported),
    offline: true,
    analyzer: { remediate: async (resource) => plainInputs(resource, exported) },
  });
  const preview = await stack.preview();
  const { services, restartedGpus } = impactOf(readPreview(JSON.stringify(previewDigest(preview))));
  const lost = services.flatMap((service) => service.lost);
  return {
    replaced: lost.filter(({ operation }) => operation === "replace"),
    deleted: lost.filter(({ operation }) => operation === "delete"),
    created: services.flatMap(({ created }) => created),
    updated: services.flatMap(({ updated }) => updated),
    restarted: services.flatMap(({ restarted }) => restarted),
    restartedGpus,
    services,
  };
}

async function stackOf(
  { program, config }: UpgradeOptions,
  { project, stack }: StackExport,
): Promise<Pick<StackOptions, "project" | "stack" | "program" | "config" | "secretConfig">> {
  const given = { project, stack, program, ...(config && { config }) };
  if ("run" in program) return given;
  const { name } = readProject(program.dir);
  if (name !== project)
    throw new Error(
      `state: belongs to project ${JSON.stringify(project)}, but the program in ${program.dir} is project ${JSON.stringify(name)}; export a stack of that project`,
    );
  return config === undefined ? loadProject(program.dir, stack) : given;
}

async function stateOf({ project, stack, checkpoint }: StackExport) {
  const state = memoryState();
  const file = await state.open(project, stack);
  await file.replace(checkpoint);
  await file.close();
  return state;
}

/** Returns the inputs with the same plain secrets as the state, because previews omit the contents of secrets. */
async function plainInputs(
  { type, name, properties }: AnalyzedResource,
  { isEncrypted }: StackExport,
) {
  const plain = (value: unknown): unknown =>
    mapValue(value, (part) => {
      if (!isSecret(part)) return undefined;
      if (!isEncrypted) return { value: plain(part.value) };
      if (type.endsWith(":LeaderWorkerSet") && typeof part.value === "object")
        throw new Error(
          `${name}: a secret contains a whole part of the object, which the encrypted state does not show; use \`pulumi stack export --show-secrets\``,
        );
      return { value: hiddenSecret };
    });
  return plain(properties) as AnalyzedResource["properties"];
}
