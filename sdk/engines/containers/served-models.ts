import type { CommandLine } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../index.ts";
import { notKnown, whatIsKnown } from "../options/arguments.ts";

/**
 * Returns the names under which an engine serves its base model: the values of `--served-model-name`, otherwise the
 * model itself. Undefined if the template does not contain them.
 */
export function servedModels(engine: CommandLine): readonly string[] | undefined {
  const named = argumentsOf(engine).list("--served-model-name");
  if (engineNameOf(engine) === undefined || named === notKnown) return undefined;
  if (named?.includes("")) return undefined;
  if (named !== undefined && named.length > 0) return named;
  const model = loadedModel(engine);
  return model === undefined ? undefined : [model];
}

/** Returns the model that an engine loads: a name or a path. Undefined if the template does not contain it. */
export function loadedModel(engine: CommandLine): string | undefined {
  const name = engineNameOf(engine);
  if (name === undefined) return undefined;
  // An option at the end of the line has no value.
  return whatIsKnown(engines[name].model(argumentsOf(engine))) || undefined;
}
