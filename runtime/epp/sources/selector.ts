/** Formats labels as a label selector. Equal labels give the same string. */
export const selectorOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");
