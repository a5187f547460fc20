import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Descriptions of the schema's types and fields that Kubernetes defines, and of types that only TypeScript describes. */

const components = join(import.meta.dirname, "../../components");

/** A comment of a few lines in front of an exported type. A longer text describes more than its type. */
const commented = /\/\*\* ?([^\n]*?) \*\/\nexport (?:interface|type|const) (\w+)/g;

/** Returns the comments of the types that components export, by the type's name without `Args`. */
export function typeComments(): ReadonlyMap<string, string> {
  const files = globSync("**/*.ts", { cwd: components }).filter(
    (file) => !/test|fixture/.test(file),
  );
  const found = files
    .toSorted()
    .flatMap((file) => [...readFileSync(join(components, file), "utf8").matchAll(commented)]);
  return new Map(found.map(([, text = "", name = ""]) => [name.replace(/Args$/, ""), text]));
}

const isOfGatewayApi = (type: string) =>
  /^(HTTP|Mirror|Imported|RouterGateway|ParentReference|LocalReference)/.test(type);

const referenceOf = (type: string) =>
  isOfGatewayApi(type)
    ? "the Gateway API: https://gateway-api.sigs.k8s.io/reference/spec/"
    : "Kubernetes: https://kubernetes.io/docs/reference/kubernetes-api/";

/** Returns a description of a type that only Kubernetes describes. */
export const kubernetesType = (type: string): string => `${type} of ${referenceOf(type)}`;

/** Returns a description of a field that only Kubernetes describes. Fields below it keep the names of Kubernetes. */
export const kubernetesField = (type: string, field: string): string =>
  `Field \`${field}\` of ${type === "RouterGateway" ? "Gateway" : type} in ${referenceOf(type)}`;
