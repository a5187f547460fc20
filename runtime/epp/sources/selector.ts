/** Labels as a label selector; the same ones give the same text. */
export const selectorOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");
