import { expect, it } from "vitest";
import { productCode } from "../../scripts/walls/product-code.ts";
import { gatewayKinds } from "../../sdk/gateways/index.ts";
import { groups } from "./groups.ts";

const product = productCode();

/** Files that contain groups as literals, and the reason. */
const others: Readonly<Record<string, string>> = {
  "kubernetes/kinds/groups.ts": "the one place",
  "components/generated/args.ts": "literal types that users and Pulumi's analyzer read",
};

const ofGateways = Object.values(gatewayKinds).map(({ group }) => group);
const names = [...Object.values(groups), ...ofGateways]
  .filter((group) => group !== "")
  .map((group) => group.replaceAll(".", "\\."));
// `apps` and `policy` without a version are ordinary words, and `apps/Deployment` is as stable as `Deployment`.
const dotted = names.filter((name) => name.includes("."));
const spelled = new RegExp(
  `^(/apis/|/api/v1|(${names.join("|")})/v\\d\\w*$|(${dotted.join("|")})(/[A-Z]\\w+)?$)`,
);

/** Returns the string literals of a source that contain a group or a path, except for prose that mentions one. */
function literals(source: string): string[] {
  const strings = source.match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g) ?? [];
  return strings.filter((text) => spelled.test(text.slice(1, -1)));
}

it("literals finds every form of a group or a path", () => {
  const ways = [
    '"gateway.networking.k8s.io"',
    '"apps/v1"',
    "`/apis/$" + "{group}`",
    '"/api/v1/nodes"',
    '"keda.sh/ScaledObject"',
  ];
  for (const way of ways) expect(literals(`const a = ${way};`)).toHaveLength(1);
  expect(literals('const a = "apps"; const b = "leaderworkerset.sigs.k8s.io/name";')).toEqual([]);
});

it("only kubernetes/kinds, kubernetes/paths and gateways contain API groups and paths of the API server", () => {
  expect(product.size).toBeGreaterThan(500);
  const found = [...product]
    .filter(([file]) => !Object.hasOwn(others, file) && file !== "kubernetes/paths.ts")
    .filter(([file]) => !file.startsWith("sdk/gateways/"))
    .flatMap(([file, code]) => literals(code).map((line) => `${file}: ${line.trim()}`));
  expect(found).toEqual([]);
});
