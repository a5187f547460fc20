import { Decoder } from "@msgpack/msgpack";
import type {
  BlockRemoved,
  BlockStored,
  KvEvent,
  KvEventBatch,
  Tier,
} from "../../../scheduling/kv-index/kv-event.ts";
import { shapeProblem } from "./message-pack-shape.ts";

export class MalformedBatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MalformedBatch";
  }
}

/** Bigints keep all digits of 64-bit numbers. */
const decoder = new Decoder({ useBigInt64: true });

/**
 * Decodes a batch of vLLM; SGLang and TensorRT-LLM use the same format: MessagePack of `[time, events, rank]`. An event
 * is a map of fields (vLLM 0.32, SGLang), or a list of its type and its fields in order (older vLLM).
 *
 * @throws MalformedBatch
 */
export function decodeBatch(payload: Uint8Array): KvEventBatch {
  const batch = decoded(payload);
  const list = Array.isArray(batch) ? batch[1] : undefined;
  if (!Array.isArray(list)) throw new MalformedBatch("it is not a list of a time and events");
  let unknown = 0;
  const events: KvEvent[] = [];
  for (const each of list) {
    const event = eventOf(fieldsOf(each));
    if (event === undefined) unknown += 1;
    else events.push(event);
  }
  return { events, unknown };
}

function decoded(payload: Uint8Array): unknown {
  const problem = shapeProblem(payload);
  if (problem !== undefined)
    throw new MalformedBatch(`it is not MessagePack of events: ${problem}`);
  try {
    return decoder.decode(payload);
  } catch (error) {
    throw new MalformedBatch(`it is not MessagePack: ${(error as Error).message}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of each type, in the order of the list form. */
const fieldNames = new Map<unknown, readonly string[]>([
  [
    "BlockStored",
    [
      "type",
      "block_hashes",
      "parent_block_hash",
      "token_ids",
      "block_size",
      "lora_id",
      "medium",
      "lora_name",
      "extra_keys",
      "group_idx",
      "kv_cache_spec_kind",
    ],
  ],
  ["BlockRemoved", ["type", "block_hashes", "medium", "group_idx"]],
]);

function fieldsOf(event: unknown): Fields {
  if (!Array.isArray(event)) {
    if (typeof event === "object" && event !== null) return event as Fields;
    throw new MalformedBatch("an event is neither a map nor a list");
  }
  const names = fieldNames.get(event[0]) ?? ["type"];
  return Object.fromEntries(names.map((name, at) => [name, event[at]]));
}

/** Returns undefined for an unknown type. */
function eventOf(fields: Fields): KvEvent | undefined {
  switch (fields.type) {
    case "BlockStored":
      return storedOf(fields);
    case "BlockRemoved":
      return removedOf(fields);
    case "AllBlocksCleared":
      return { type: "cleared" };
    default:
      return undefined;
  }
}

function storedOf(fields: Fields): BlockStored {
  const { parent_block_hash: parent, block_size: blockSize, lora_name, lora_id } = fields;
  if (!isCount(blockSize) || blockSize === 0)
    throw new MalformedBatch("block_size is not a number above 0");
  const hashes = hashesOf(fields.block_hashes);
  // Older engines send the number of an adapter instead of its name.
  const adapter = textOf(lora_name) ?? (isNumber(lora_id) ? String(lora_id) : "");
  const kind = textOf(fields.kv_cache_spec_kind);
  return {
    type: "stored",
    hashes,
    parent: parent == null ? undefined : hashOf(parent),
    tokens: tokensOf(fields.token_ids),
    blockSize,
    adapter,
    extra: extraOf(fields, adapter, parent == null),
    tier: tierOf(fields.medium),
    group: { index: isCount(fields.group_idx) ? fields.group_idx : 0, kind },
  };
}

const removedOf = ({ block_hashes, medium, group_idx }: Fields): BlockRemoved => ({
  type: "removed",
  hashes: hashesOf(block_hashes),
  tier: tierOf(medium),
  groupIndex: isCount(group_idx) ? group_idx : 0,
});

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

function tokensOf(value: unknown): readonly number[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw new MalformedBatch("token_ids is not a list");
  if (value.every(isCount)) return value;
  // SGLang's token pairs for drafts become -1: they are in no prompt that is looked up.
  return value.map((token) => (isCount(token) ? token : -1));
}

function hashesOf(value: unknown): number[] {
  if (Array.isArray(value)) return value.map(hashOf);
  throw new MalformedBatch("block_hashes is not a list");
}

const wide = new BigUint64Array(1);
const halves = new Uint32Array(wide.buffer);

/** Returns the low 53 bits of a hash, which is a signed or unsigned number, or of the last bytes of a digest. */
function hashOf(value: unknown): number {
  if (isCount(value) && Number.isSafeInteger(value)) return value;
  if (typeof value === "bigint" || Number.isInteger(value)) {
    wide[0] = BigInt(value as bigint | number);
    return ((halves[1] as number) & 0x1fffff) * 2 ** 32 + (halves[0] as number);
  }
  if (value instanceof Uint8Array && value.length >= 8) {
    const view = new DataView(value.buffer, value.byteOffset + value.length - 8, 8);
    return (view.getUint32(0) & 0x1fffff) * 2 ** 32 + view.getUint32(4);
  }
  throw new MalformedBatch("a block's hash is neither a number nor a digest");
}

/** Returns the tier of an engine's medium name. Media other than GPU and CPU are slow storage. */
function tierOf(medium: unknown): Tier {
  const name = textOf(medium)?.toUpperCase() ?? "GPU";
  if (name === "GPU") return "gpu";
  return name.startsWith("CPU") ? "cpu" : "storage";
}

/**
 * Returns the inputs of the hashes other than tokens. vLLM lists them without their kinds; SGLang has the salt as a
 * field.
 */
function extraOf(
  { extra_keys, cache_salt }: Fields,
  adapter: string,
  isFirst: boolean,
): BlockStored["extra"] {
  const salt = textOf(cache_salt);
  if (salt !== undefined) return isFirst ? [[salt]] : undefined;
  if (!Array.isArray(extra_keys) || extra_keys.every((keys) => keys === null)) return undefined;
  return extra_keys.map((keys) => {
    if (!Array.isArray(keys)) return undefined;
    // The adapter already has separate keys in the index.
    const texts = keys.filter((key) => key !== adapter).map(textOfKey);
    return texts.length === 0 ? undefined : texts;
  });
}

const textOfKey = (key: unknown): string =>
  typeof key === "string"
    ? key
    : JSON.stringify(key, (_, value) => (typeof value === "bigint" ? String(value) : value));
