import { isMap } from "../../../kubernetes/values/records.ts";
import { type CommandLine, wordsOf } from "../command-line/started-programs.ts";
import { jsonOf } from "../options/arguments.ts";

/** A LoRA adapter that an engine loads at its start. */
export interface Adapter {
  /** Model name of requests for the adapter. */
  readonly name: string;
  /** Path, or name in a registry. */
  readonly path: string;
}

/** Arguments of engines that list adapters, each as `name=path`, as a path, or as JSON. */
const lists = ["--lora-modules", "--lora-paths"];

/** Returns the adapters that the arguments of an engine list. */
export function listedAdapters(engine: CommandLine): Adapter[] {
  const words = wordsOf(engine).map(({ text }) => text ?? "");
  return words.flatMap((word, at) => {
    const list = lists.find((flag) => word === flag || word.startsWith(`${flag}=`));
    if (list === undefined) return [];
    const end = words.findIndex((each, index) => index > at && each.startsWith("-"));
    const own = word === list ? [] : [word.slice(list.length + 1)];
    return [...own, ...words.slice(at + 1, end < 0 ? undefined : end)].map(adapterOf);
  });
}

function adapterOf(value: string): Adapter {
  if (value.startsWith("{")) {
    const json = jsonOf(value);
    const { name, path, lora_name, lora_path } = isMap(json) ? json : {};
    return { name: String(name ?? lora_name ?? ""), path: String(path ?? lora_path ?? "") };
  }
  // A path without a name is its own name.
  const [, name = value, path = value] = /^(?!\/)([^=]*)=(.*)$/.exec(value) ?? [];
  return { name, path };
}
