import {
  type AnalyzedResource,
  isSecret,
  isUnknown,
  mapValue,
  memoryState,
  openStack,
} from "../../engine/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { readProgram } from "../check/check-program.ts";
import { UsageError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Returns the Kubernetes objects of a Pulumi program, from a preview of the local engine. Values that only an update
 * knows are omitted.
 *
 * @throws UsageError if the program fails
 */
export async function objectsOfProgram(
  folder: string,
  stack: string,
  { err }: Pick<Terminal, "err">,
): Promise<Manifest[]> {
  const objects: Manifest[] = [];
  const analyze = async ({ type, properties }: AnalyzedResource) => {
    const { apiVersion, kind } = properties;
    if (
      type.startsWith("kubernetes:") &&
      typeof apiVersion === "string" &&
      typeof kind === "string"
    )
      objects.push(plain(properties) as Manifest);
    return [];
  };
  const { diagnostics } = await openStack({
    ...(await readProgram(folder, stack)),
    state: memoryState(),
    offline: true,
    analyzer: { analyze },
    onEvent: (event) => {
      if (event.kind === "program-output") (err.pass ?? err.write)(event.text);
    },
  }).preview();
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new UsageError(errors.map(({ message }) => message).join("\n"));
  return objects;
}

/** Returns plain JSON: secrets without their marker, and no unknown values. */
const plain = (properties: unknown): unknown =>
  JSON.parse(
    JSON.stringify(
      mapValue(properties, (value) => {
        if (isSecret(value)) return { value: plain(value.value) };
        return isUnknown(value) ? { value: undefined } : undefined;
      }),
    ),
  );
