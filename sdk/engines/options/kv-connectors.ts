import { isKnownMap } from "../../../kubernetes/values/deferred.ts";
import type { Fields } from "../../../kubernetes/values/records.ts";
import { type Arguments, whatIsKnown } from "./arguments.ts";

export const transferFlag = "--kv-transfer-config";

export const fieldsOf = (value: unknown): Fields => (isKnownMap(value) ? value : {});

export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

/** Returns vLLM's KV connector, and the connectors that a MultiConnector combines. Empty if none is known. */
export function kvConnectors(args: Arguments): readonly Fields[] {
  const config = whatIsKnown(args.json(transferFlag));
  return config === undefined ? [] : withNested(config);
}

const withNested = (config: Fields): readonly Fields[] => [
  config,
  ...listOf(fieldsOf(config.kv_connector_extra_config).connectors).flatMap(withNested),
];

/** Returns the connector of a transfer configuration. Undefined if there is no connector or it is not yet known. */
export function connectorIn(args: Arguments): string | undefined {
  const [{ kv_connector: connector } = {} as Fields] = kvConnectors(args);
  return typeof connector === "string" && connector !== "" ? connector : undefined;
}
