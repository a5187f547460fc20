import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { engineIndexOf, engineOf } from "../../engines/containers/engine-container.ts";
import type { PodSpec } from "../../schemas/pod-template.ts";

/** Returns the path in a spec to the arguments of a role's engine, or to its command if it has no arguments. */
export const argumentsPath = (index: number, pod: PodSpec): Array<string | number> => [
  "roles",
  index,
  "template",
  "spec",
  "containers",
  engineIndexOf(pod),
  argumentsField(engineOf(pod)),
];
