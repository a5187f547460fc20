import { createHash } from "node:crypto";
import { limits } from "../../limits.ts";

/** Label value of all values beyond the limit. */
export const overflow = "other";

/** Length of the suffix of a shortened value: a dash and the start of its hash. */
const hashLength = 9;

/**
 * Returns a function that limits the number of values of a label. Clients choose these values, and each one creates a
 * time series that is kept until the process ends. The function admits the first `limit` values, shortened if they are
 * long, and all configured values.
 *
 * @param isConfigured whether a value is admitted beyond the limit and in full length
 */
export function boundedLabel(
  limit: number,
  isConfigured: (value: string) => boolean = () => false,
): (value: string) => string {
  const admitted = new Set<string>();
  let clients = 0;
  return (value) => {
    if (admitted.has(value) || value === "") return value;
    if (isConfigured(value)) {
      admitted.add(value);
      return value;
    }
    const shown = shortened(value);
    if (admitted.has(shown)) return shown;
    if (clients >= limit) return overflow;
    clients += 1;
    admitted.add(shown);
    return shown;
  };
}

/** Appends a hash, so that values with the same start remain distinct. */
function shortened(value: string): string {
  const longest = limits.labelValue.value;
  if (value.length <= longest) return value;
  const hash = createHash("sha256").update(value).digest("hex");
  return `${value.slice(0, longest - hashLength)}-${hash.slice(0, hashLength - 1)}`;
}
