import type { Connector } from "./connector.ts";
import { nixlv2 } from "./nixlv2.ts";

/** By the value of `--kv-connector`. */
export const connectors = { nixlv2 } as const satisfies Readonly<Record<string, Connector>>;

export type ConnectorName = keyof typeof connectors;

export const connectorNames = Object.keys(connectors) as readonly ConnectorName[];
