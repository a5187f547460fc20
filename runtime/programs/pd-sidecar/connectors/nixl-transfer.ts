import { BlockList, isIP } from "node:net";
import { isObject } from "../../../epp/payload/json-body.ts";
import { limits } from "../../../limits.ts";

/** Whether a value may be passed to the decoder's engine; `host` is the host of the chosen prefiller. */
type Check = (value: unknown, host: string) => boolean;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isName: Check = (value) =>
  typeof value === "string" && value.length <= limits.transferName.value;
const isFlag: Check = (value) => typeof value === "boolean";
/** Engines of other versions have further numbers and flags. Texts and objects could name another host. */
const isPlain: Check = (value) => typeof value === "number" || typeof value === "boolean";

const checks: Readonly<Record<string, Check>> = {
  do_remote_prefill: isFlag,
  do_remote_decode: (value) => value === false,
  remote_block_ids: areBlocks,
  remote_engine_id: isName,
  remote_request_id: isName,
  remote_host: isSameHost,
  remote_port: (value) => isCount(value) && Number(value) > 0 && Number(value) <= 65_535,
  tp_size: (value) => isCount(value) && Number(value) > 0 && Number(value) <= 65_536,
  remote_num_tokens: isCount,
};

/**
 * Returns the field that makes a prefiller's transfer object unsafe for the decoder's engine, which connects to the
 * host in the object and allocates the named blocks; undefined if the object is safe.
 *
 * An engine that is to fetch blocks but receives no block ids fails an assertion and aborts all its requests (vLLM's
 * update_state_after_alloc). Prefillers of another version return no block ids for a prompt shorter than a block.
 *
 * @param host host of the prefiller that received the request
 */
export function refusedField(host: string, transfer: Buffer): string | undefined {
  const params: unknown = JSON.parse(transfer.toString());
  if (!isObject(params)) return "kv_transfer_params";
  const refused = Object.entries(params).find(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : isPlain;
    return value !== null && check?.(value, host) !== true;
  });
  if (refused !== undefined || params.do_remote_prefill !== true) return refused?.[0];
  const { remote_block_ids: blocks, remote_host: named } = params;
  if (!Array.isArray(blocks) || blocks.length === 0) return "remote_block_ids";
  return typeof named === "string" ? undefined : "remote_host";
}

/** Block ids, or a list of them for each group of layers. */
function areBlocks(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > limits.transferBlocks.value) return false;
  const ids = value.flat(1);
  return ids.length <= limits.transferBlocks.value && ids.every(isCount);
}

/** Addresses may be written in several ways, such as IPv6 with zeros. */
function isSameHost(value: unknown, host: string): boolean {
  if (typeof value !== "string") return false;
  const family = isIP(value);
  if (family === 0 || isIP(host) === 0) return value.toLowerCase() === host.toLowerCase();
  const own = new BlockList();
  own.addAddress(host, isIP(host) === 6 ? "ipv6" : "ipv4");
  return own.check(value, family === 6 ? "ipv6" : "ipv4");
}
