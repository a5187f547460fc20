import { PolicyPack } from "@pulumi/policy";
import { stackRules } from "../sdk/invariants/stack/index.ts";
import { type PackName, packs } from "../sdk/invariants/stack/packs.ts";
import { policiesOf } from "./policies-of.ts";

/**
 * Serves one pack from this process. Nothing else may print to standard output, because the CLI reads the port from it.
 *
 * @param name name of the pack; `inference` contains the rules of all packs
 */
export function servePack(name: PackName | "inference"): void {
  const rules = stackRules.filter(({ pack }) => name === "inference" || pack === name);
  const { displayName, description } = packs[name];
  new PolicyPack(name, { displayName, description, policies: policiesOf(rules) });
}
