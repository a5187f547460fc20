import type { StructuralSchema } from "../../sdk/crds/structural-schema.ts";

/** Returns each way in which one schema refuses or changes a value that another schema accepts unchanged. */
export function stricter(own: StructuralSchema, theirs: StructuralSchema, path = ""): string[] {
  const found = (what: string, is: boolean) => (is ? [`${path}: ${what}`] : []);
  const lowest = (keyword: string) => Number(theirs[keyword] ?? Number.NEGATIVE_INFINITY);
  const highest = (keyword: string) => Number(theirs[keyword] ?? Number.POSITIVE_INFINITY);
  const fields = Object.entries(theirs.properties ?? {});
  return [
    ...found("another type", own.type !== theirs.type),
    ...found("another format", own.format !== undefined && own.format !== theirs.format),
    ...found("another pattern", own.pattern !== undefined && patternOf(own) !== patternOf(theirs)),
    ...found("a default", own.default !== undefined),
    ...found("words missing", theirs.enum?.some((word) => !own.enum?.includes(word)) ?? false),
    ...found("words", own.enum !== undefined && theirs.enum === undefined),
    ...found("required", own.required?.some((f) => !theirs.required?.includes(f)) ?? false),
    ...["minimum", "minLength", "minItems"].flatMap((keyword) =>
      found(keyword, own[keyword] !== undefined && Number(own[keyword]) > lowest(keyword)),
    ),
    ...["maximum", "maxLength", "maxItems"].flatMap((keyword) =>
      found(keyword, own[keyword] !== undefined && Number(own[keyword]) < highest(keyword)),
    ),
    ...found(
      "unknown fields",
      theirs["x-kubernetes-preserve-unknown-fields"] === true &&
        own["x-kubernetes-preserve-unknown-fields"] !== true,
    ),
    ...(own["x-kubernetes-validations"] ?? []).flatMap(({ rule }) =>
      found(`rule ${rule}`, !isAboutOthers(rule, theirs)),
    ),
    ...fields.flatMap(([name, field]) => {
      const counterpart = own.properties?.[name];
      const at = path === "" ? name : `${path}.${name}`;
      return counterpart === undefined ? [`${at}: absent`] : stricter(counterpart, field, at);
    }),
    ...inner(own.items, theirs.items, `${path}[]`),
    ...inner(own.additionalProperties, theirs.additionalProperties, `${path}.*`),
  ];
}

/** A slash may be escaped or not. */
const patternOf = ({ pattern }: StructuralSchema) => String(pattern).replaceAll("\\/", "/");

const inner = (own?: StructuralSchema, theirs?: StructuralSchema, path?: string) =>
  theirs === undefined ? [] : stricter(own ?? {}, theirs, path);

/** Whether a rule holds of every object without a field that the other schema does not have. */
function isAboutOthers(rule: string, theirs: StructuralSchema): boolean {
  const [, field] = /^!has\(self\.(\w+)\) \|\| /.exec(rule) ?? [];
  return field !== undefined && theirs.properties?.[field] === undefined;
}
