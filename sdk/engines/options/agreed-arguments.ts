import { type Arguments, notKnown, type Reading } from "./arguments.ts";

/** Returns the arguments that several servers share. A value in which they differ is unknown. */
export function agreed(all: readonly Arguments[]): Arguments {
  const [first, ...others] = all as [Arguments, ...Arguments[]];
  if (others.length === 0) return first;
  const each =
    <T>(read: (args: Arguments) => Reading<T>) =>
    (): Reading<T> => {
      const [value, ...rest] = all.map(read);
      const text = JSON.stringify(value);
      return rest.every((other) => other !== notKnown && JSON.stringify(other) === text)
        ? value
        : notKnown;
    };
  const models = all.map(({ positional }) => JSON.stringify(positional.map(({ text }) => text)));
  return {
    isOpen: all.some(({ isOpen }) => isOpen) || new Set(models).size > 1,
    positional: new Set(models).size > 1 ? [] : first.positional,
    names: [...new Set(all.flatMap(({ names }) => names))],
    has: (option) => all.some((args) => args.has(option)),
    value: (option) => each((args) => args.value(option))(),
    written: (option) => each((args) => args.written(option))(),
    list: (option) => each((args) => args.list(option))(),
    json: (option) => each((args) => args.json(option))(),
  };
}
