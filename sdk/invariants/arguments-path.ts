import { argumentsField } from "../command-line/started-programs.ts";
import type { PodSpec } from "../spec/role.ts";
import { engineIndexOf, engineOf } from "../topology/engine-container.ts";

/** Returns the path in a spec to the arguments of a role's engine, or to its command if it has no arguments. */
export const argumentsPath = (index: number, pod: PodSpec): Array<string | number> => [
  ...["roles", index, "template", "spec", "containers"],
  ...[engineIndexOf(pod), argumentsField(engineOf(pod))],
];
