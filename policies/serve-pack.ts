import { PolicyPack } from "@pulumi/policy";
import { stackRules } from "../sdk/invariants/stack/index.ts";
import { type PackName, packs } from "../sdk/invariants/stack/packs.ts";
import { policiesOf } from "./policies-of.ts";

/**
 * Serves a pack from this process, of which it is the only one. Nothing else may be printed: the CLI reads the port
 * from standard output.
 *
 * @param name of the pack; `inference` holds the rules of all
 */
export function servePack(name: PackName | "inference"): void {
  const rules = stackRules.filter(({ pack }) => name === "inference" || pack === name);
  const { displayName, description } = packs[name];
  new PolicyPack(name, { displayName, description, policies: policiesOf(rules) });
}
