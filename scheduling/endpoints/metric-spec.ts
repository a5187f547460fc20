/** A metric family and the labels that its series must have. */
export interface MetricSpec {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
}

const pattern = /^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^{}]*)\})?\s*$/;
const labelPattern = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*(?:"([^"]*)"|([^",]*))\s*$/;

/**
 * Parses `family` or `family{label=value,other="value"}`.
 * @throws Error that quotes the invalid part
 */
export function parseMetricSpec(text: string): MetricSpec {
  const match = pattern.exec(text);
  if (match === null)
    throw new Error(`"${text}" is not a metric: write family or family{label=value}`);
  const labels = (match[2] ?? "")
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const label = labelPattern.exec(part);
      if (label === null)
        throw new Error(`"${part}" in "${text}" is not a label: write label=value`);
      return [label[1] as string, (label[2] ?? label[3] ?? "").trim()] as const;
    });
  return { family: match[1] as string, labels: Object.fromEntries(labels) };
}
