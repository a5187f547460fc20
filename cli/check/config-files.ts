import { isMap } from "../../kubernetes/values/records.ts";
import { orList } from "../../sdk/errors.ts";
import { unknownModels } from "../../sdk/rules/objects/known-model-rules.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { UsageError } from "../exit-code.ts";
import { readModel } from "../fit/read-model.ts";
import { readText } from "../read-text.ts";
import type { Terminal } from "../terminal.ts";

/** Files of `--config`. */
export interface ConfigFiles {
  /** Levels and parameters of policies. */
  readonly policies?: string;
  readonly models: readonly ModelFile[];
}

interface ModelFile {
  readonly path: string;
  /** `_name_or_path`. */
  readonly name: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * Separates each model's config.json from the configuration of policies, which has names of policies only.
 *
 * @throws UsageError for a file that cannot be read, or describes no model, and for two configurations of policies
 */
export async function readConfigFiles(
  paths: readonly string[] = [],
  terminal: Pick<Terminal, "readStdin">,
): Promise<ConfigFiles> {
  const models: ModelFile[] = [];
  const policies: string[] = [];
  for (const path of paths) {
    if (!isModel(await readText(path))) {
      policies.push(path);
      continue;
    }
    const { config = {} } = await readModel(undefined, path, terminal as Terminal);
    const { _name_or_path: name } = config;
    models.push({ path, config, name: typeof name === "string" && name ? name : undefined });
  }
  const [first, second] = policies;
  if (second !== undefined)
    throw new UsageError(
      `--config ${second}: is a second configuration of policies, in addition to ${first}; pass only one, with any number of models' config.json`,
    );
  return { models, ...(first !== undefined && { policies: first }) };
}

/** Text that is not JSON is refused by the reader of policies. */
function isModel(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) && ("model_type" in value || "architectures" in value);
  } catch {
    return false;
  }
}

/**
 * Returns the models by the names under which engines load them: the name in the file, or else the only unknown model.
 *
 * @param objects undefined for a program whose objects are known only after the check has started
 * @throws UsageError for a file whose model no engine loads
 */
export function modelsByName(
  files: readonly ModelFile[],
  objects: readonly unknown[] | undefined,
): Record<string, ModelFile["config"]> {
  const unknown =
    objects && new Set([...unknownModels(readStack(objects))].map(({ name }) => name));
  const named = new Set(files.map(({ name }) => name));
  const others = [...(unknown ?? [])].filter((name) => !named.has(name));
  const byName = new Map<string, ModelFile["config"]>();
  for (const { path, name, config } of files) {
    const own = name !== undefined && (unknown?.has(name) ?? true) ? name : undefined;
    const only = others.length === 1 ? others[0] : undefined;
    const taken = own ?? only;
    if (taken === undefined) throw new UsageError(`--config ${path}: ${unmatched(name, others)}`);
    if (byName.has(taken))
      throw new UsageError(`--config ${path}: another file already describes ${taken}`);
    byName.set(taken, config);
  }
  return Object.fromEntries(byName);
}

function unmatched(name: string | undefined, others: readonly string[]): string {
  const described = name === undefined ? "has no _name_or_path" : `describes ${name}`;
  return others.length === 0
    ? `${described}, and no engine loads a model that is not in the catalog; set _name_or_path to the name that an engine loads`
    : `${described}; set _name_or_path to the model that it describes: ${orList(others)}`;
}
