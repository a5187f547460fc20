/**
 * A label selector in Kubernetes' format: `tier=prod`, `tier!=test`, `region in (eu, us)`, `region notin (us)`, `gpu`,
 * `!gpu`.
 */
export type LabelSelector = readonly Requirement[];

interface Requirement {
  readonly key: string;
  /** Undefined if any value matches. */
  readonly values: readonly string[] | undefined;
  /** Whether the labels must have none of the values, or not have the key. */
  readonly isNot: boolean;
}

const key =
  "(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const value = "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const forms = {
  equal: new RegExp(`^(${key})\\s*(==?|!=)\\s*(${value})$`),
  set: new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^()]*)\\)$`),
  exists: new RegExp(`^(!?)\\s*(${key})$`),
  value: new RegExp(`^${value}$`),
};

/** Returns a parsed selector; undefined for an empty or invalid text. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  const parts = text.split(/,(?![^(]*\))/).map((part) => requirement(part.trim()));
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? known : undefined;
}

function requirement(text: string): Requirement | undefined {
  const [, name = "", operator, one = ""] = forms.equal.exec(text) ?? [];
  if (operator !== undefined) return { key: name, values: [one], isNot: operator === "!=" };
  const [, of = "", word, list = ""] = forms.set.exec(text) ?? [];
  if (word !== undefined) {
    const values = list.split(",").map((each) => each.trim());
    if (!values.every((each) => forms.value.test(each))) return undefined;
    return { key: of, values, isNot: word === "notin" };
  }
  const [, not, present] = forms.exists.exec(text) ?? [];
  return present === undefined
    ? undefined
    : { key: present, values: undefined, isNot: not === "!" };
}

/** Whether labels match all requirements of the selector. */
export const selects = (
  selector: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean =>
  selector.every(({ key, values, isNot }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    const has = value !== undefined && (values === undefined || values.includes(value));
    return has !== isNot;
  });
