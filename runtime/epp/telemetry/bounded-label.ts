import { createHash } from "node:crypto";
import { limits } from "../../limits.ts";

/** What values beyond the limit become. */
export const overflow = "other";

/** Characters of the hash at the end of a value that is cut, with the dash before it. */
const hashLength = 9;

/**
 * Values of a label that clients choose. A time series stays as long as the process, so that only so many values are
 * let in, each of them cut where it is long: the first ones, and those that the operator or a model server named.
 *
 * @param isConfigured a value that is let in beyond the limit, as it is
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

/** Values that begin alike stay apart. */
function shortened(value: string): string {
  const longest = limits.labelValue.value;
  if (value.length <= longest) return value;
  const hash = createHash("sha256").update(value).digest("hex");
  return `${value.slice(0, longest - hashLength)}-${hash.slice(0, hashLength - 1)}`;
}
