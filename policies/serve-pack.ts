import { PolicyPack } from "@pulumi/policy";
import { type PackName, packs } from "../sdk/rules/helpers/packs.ts";
import { stackRules } from "../sdk/rules/objects/index.ts";
import { policiesOf } from "./policies-of.ts";

/**
 * Serves a pack from this process, which must serve only one. The process must not print anything else, because the CLI
 * reads the port from standard output.
 *
 * @param name name of the pack; `inference` contains the rules of all packs
 */
export function servePack(name: PackName | "inference"): void {
  const rules = stackRules.filter(({ pack }) => name === "inference" || pack === name);
  const { displayName, description } = packs[name];
  new PolicyPack(name, { displayName, description, policies: policiesOf(rules) });
}
