import { isMap } from "../../kubernetes/values/records.ts";
import { ModelConfigError, modelFromConfig } from "../../sdk/engines/models/config.ts";
import { type ModelFacts, modelFacts } from "../../sdk/engines/models/model-facts.ts";
import { similarModels } from "../../sdk/engines/models/similar-models.ts";
import { orList } from "../../sdk/errors.ts";
import { UsageError } from "../exit-code.ts";
import { readText } from "../read-text.ts";
import type { Terminal } from "../terminal.ts";

interface NamedModel {
  readonly name: string;
  readonly facts: ModelFacts;
  /** Contents of the config.json from which the facts were read. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the facts of a model, from its config.json if there is a path, otherwise from the catalog.
 *
 * @throws UsageError for an unknown name, or a file that does not describe a model
 */
export async function readModel(
  written: string | undefined,
  path: string | undefined,
  terminal: Terminal,
): Promise<NamedModel> {
  const name = written ?? "model";
  if (path === undefined) return { name, facts: knownFacts(name) };
  const config = await readConfig(path, terminal);
  try {
    return { name, config, facts: modelFromConfig(config) };
  } catch (error) {
    if (!(error instanceof ModelConfigError)) throw error;
    throw new UsageError(`--config ${path}: ${error.message}`);
  }
}

function knownFacts(name: string): ModelFacts {
  const facts = modelFacts(name);
  if (facts !== undefined) return facts;
  const similar = similarModels(name);
  const question = similar.length === 0 ? "" : ` Did you mean ${orList(similar)}?`;
  throw new UsageError(
    `unknown model ${JSON.stringify(name)}.${question} npx pulumi-inference fit lists the known models; --config reads the config.json of another one.`,
  );
}

async function readConfig(path: string, { readStdin }: Terminal) {
  const text = path === "-" ? await readStdin() : await readText(path);
  try {
    const config: unknown = JSON.parse(text);
    if (isMap(config)) return config;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`--config ${path}: ${error.message}`);
  }
  throw new UsageError(`--config ${path}: is not an object; expected a model's config.json`);
}
