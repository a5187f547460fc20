import { expect, it } from "vitest";
import { exportDenial, type MemberPolicy } from "./member-policy.ts";

const policies = new Map<string, MemberPolicy>([
  ["east", { exports: [{ namespace: "ml", pools: ["llama", "qwen-*"] }] }],
  ["west", {}],
  ["both", { exports: [{ namespace: "ml" }, { namespace: "team-*" }] }],
]);

it.each([
  ["east", "ml", "llama", undefined],
  ["east", "ml", "qwen-3", undefined],
  ["east", "ml", "other", /^is not among the names that the cluster set lets east export/],
  ["east", "games", "llama", /^is not among/],
  ["both", "ml", "llama", undefined],
  ["both", "team-a", "any", undefined],
  ["west", "games", "chess", undefined],
  ["west", "ml", "llama", /^is reserved for both, east; add it to exports of west too$/],
  ["west", "kube-system", "x", /^is in a system namespace/],
  ["both", "kube-public", "x", /^is in a system namespace/],
])("B4: the denial for %s to export %s/%s is %s", (member, namespace, name, why) => {
  const denial = exportDenial(policies, member, namespace, name);
  if (why === undefined) expect(denial).toBeUndefined();
  else expect(denial).toMatch(why);
});
