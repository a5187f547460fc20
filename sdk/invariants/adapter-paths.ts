import { wordsOf } from "../command-line/started-programs.ts";
import type { Finding } from "../invariant.ts";
import type { ContainerShape } from "../stack/shapes.ts";

/** Rule on adapters that an engine loads at its start. Shared by the rules on specs and on stacks. */
export const adaptersAreMounted = {
  id: "adapters-are-in-a-volume",
  title: "A LoRA adapter with an absolute path is in a volume of the engine",
  why: "An engine does not start, or answers 404 to requests for the adapter, if its files are not at the path.",
  source: "vLLM, --lora-modules; SGLang, --lora-paths",
  code: "reference",
} as const;

/** Arguments of engines that list adapters, each as `name=path`, as a path, or as JSON with `path`. */
const lists = ["--lora-modules", "--lora-paths"];

/** Returns the adapter paths of an engine that no volume of its container holds. */
export function unmountedAdapters(engine: ContainerShape): Omit<Finding, "path"> | undefined {
  const mounts = (engine.volumeMounts ?? []).map(({ mountPath }) => mountPath.replace(/\/+$/, ""));
  const paths = adaptersOf(wordsOf(engine).map(({ text }) => text ?? ""));
  const missing = paths.filter(
    (path) => !mounts.some((mount) => path === mount || path.startsWith(`${mount}/`)),
  );
  if (missing.length === 0) return undefined;
  return {
    given: `load the adapter ${missing.join(", ")}, and no volume of the container is mounted there`,
    allowed: "a path in a volume of the container, or in its image",
    fix: "Mount a volume with the adapters, or name an adapter of a registry. If the image contains the adapter, ignore this finding.",
  };
}

function adaptersOf(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    const list = lists.find((flag) => word === flag || word.startsWith(`${flag}=`));
    if (list === undefined) return [];
    const end = words.findIndex((each, index) => index > at && each.startsWith("-"));
    const own = word === list ? [] : [word.slice(list.length + 1)];
    const values = [...own, ...words.slice(at + 1, end < 0 ? undefined : end)];
    return values.map(pathOf).filter((path) => path.startsWith("/"));
  });
}

function pathOf(value: string): string {
  if (value.startsWith("{")) return /"(?:path|lora_path)"\s*:\s*"([^"]*)"/.exec(value)?.[1] ?? "";
  return value.slice(value.startsWith("/") ? 0 : value.indexOf("=") + 1);
}
