import { listedAdapters } from "../../engines/containers/adapters.ts";
import type { FindingText } from "../../invariant.ts";
import type { ContainerShape } from "../../stack/shapes.ts";

/** Rule on adapters that an engine loads at its start. Shared by the rules on specs and on stacks. */
export const adaptersAreMounted = {
  id: "adapters-are-in-a-volume",
  title: "A LoRA adapter with an absolute path is in a volume of the engine",
  why: "An engine does not start, or answers 404 to requests for the adapter, if its files are not at the path.",
  source: "vLLM, --lora-modules; SGLang, --lora-paths",
  code: "reference",
} as const;

/** Returns the adapter paths of an engine that no volume of its container holds. */
export function unmountedAdapters(engine: ContainerShape): FindingText | undefined {
  const mounts = (engine.volumeMounts ?? []).map(({ mountPath }) => mountPath.replace(/\/+$/, ""));
  const paths = listedAdapters(engine).map(({ path }) => path);
  const missing = paths.filter(
    (path) =>
      path.startsWith("/") &&
      !mounts.some((mount) => path === mount || path.startsWith(`${mount}/`)),
  );
  if (missing.length === 0) return undefined;
  return {
    given: `load the adapter ${missing.join(", ")}, and no volume of the container is mounted there`,
    allowed: "a path in a volume of the container, or in its image",
    fix: "Mount a volume with the adapters, or name an adapter of a registry. If the image contains the adapter, ignore this finding.",
  };
}
