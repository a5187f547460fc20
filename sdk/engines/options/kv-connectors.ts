import { isKnownMap } from "../../../kubernetes/values/deferred.ts";
import { type Arguments, notKnown, whatIsKnown } from "./arguments.ts";

export const transferFlag = "--kv-transfer-config";

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields => (isKnownMap(value) ? value : {});

export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

/** Returns vLLM's KV connector, and the ones that a MultiConnector combines. Empty if none is known. */
export function kvConnectors(args: Arguments): readonly Fields[] {
  const config = whatIsKnown(args.json(transferFlag));
  if (config === undefined) return [];
  return [config, ...listOf(fieldsOf(config.kv_connector_extra_config).connectors)];
}

/** Returns the connector of a transfer configuration. Undefined if there is none or it is not yet known. */
export function connectorIn(args: Arguments): string | undefined {
  const config = args.json(transferFlag);
  if (config === undefined || config === notKnown) return undefined;
  const { kv_connector: connector } = config;
  return typeof connector === "string" && connector !== "" ? connector : undefined;
}
