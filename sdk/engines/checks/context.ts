/** A context that an engine refuses. */

import {
  isOverridden,
  numberOf,
  optionText,
  type StartUp,
  type StartUpCheck,
} from "../interface/start-up.ts";

/** Returns the context that an option sets; undefined for the model's context, or if the engine chooses. */
export function contextOf(startUp: StartUp, option: string): number | undefined {
  const text = optionText(startUp, option);
  return text === undefined || isChosen(text) ? undefined : numberOf(startUp, option);
}

/** Whether a value makes the engine choose the longest context that fits. */
export const isChosen = (text: string | undefined): boolean => text === "auto" || text === "-1";

/**
 * A context that is longer than the context of the model.
 *
 * @param option sets the context
 * @param scaled returns the context of the model with positions that other options scale
 */
export const modelContext = (
  option: string,
  scaled: (startUp: StartUp) => number | undefined = () => undefined,
): StartUpCheck =>
  function* (startUp) {
    const { engine, facts, modelName, env } = startUp;
    if (isOverridden(startUp)) return;
    const context = contextOf(startUp, option);
    if (context === undefined || env.isOpen) return;
    const own = scaled(startUp) ?? facts.context;
    if (context <= own) return;
    const scaling = Math.ceil((context / facts.context) * 10) / 10;
    const fix = `Set ${option} ${own}, or scale the positions by ${scaling} as the model card describes.`;
    const { longerContext: variable = "" } = engine;
    if (/^(1|true)$/i.test(env.text(variable) ?? (env.has(variable) ? "1" : "0")))
      yield {
        given: `set ${option} ${context} and ${variable}, but ${modelName} has ${own} positions: the variable skips the check and adds no positions`,
        allowed: `at most ${own} tokens, or scaled positions`,
        fix: `${fix} Otherwise longer requests can end the engine or get wrong responses.`,
      };
    else
      yield {
        given: `set ${option} ${context}, but ${modelName} supports ${own} tokens`,
        allowed: `at most ${own} tokens`,
        fix,
      };
  };
