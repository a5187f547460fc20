/** Host and port of an engine. */
export interface Target {
  /** An IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** `host:port` as received. */
  readonly address: string;
}

/** The engines that a sidecar may connect to. */
export interface Allowed {
  has(target: Target): boolean;
}

/** Parses `host:port`; undefined if it is invalid. */
export function readTarget(address: string): Target | undefined {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@?#]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port, address };
}

/** Returns the addresses in a header that may be repeated and may contain a comma-separated list. */
export function readTargets(values: string | readonly string[]): string[] {
  return [values]
    .flat()
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "");
}
