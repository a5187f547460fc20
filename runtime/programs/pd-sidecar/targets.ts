/** Host and port of an engine. */
export interface Target {
  /** An IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** As it was written. */
  readonly address: string;
}

/** Which engines a sidecar may connect to. */
export interface Allowed {
  has(target: Target): boolean;
}

/** Reads `host:port`; undefined where it is none. */
export function readTarget(address: string): Target | undefined {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@?#]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port, address };
}

/** The addresses of a header that may come several times, and may have several by commas. */
export function readTargets(values: string | readonly string[]): string[] {
  return [values]
    .flat()
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "");
}
