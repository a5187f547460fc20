/** What ours does otherwise than llm-d's sidecar, by the words of the table in docs/prefill-decode.md. */
export interface Departure {
  /** As the table has it. */
  readonly what: string;
  /** Parts of a record that differ for this reason, as patterns of `part` alone. */
  readonly parts: RegExp;
  /** Requests of which they differ. Default: all. */
  readonly requests?: RegExp;
  /** Whether what they record and what ours does differ in this and nothing else. Default: it is not looked at. */
  readonly explains?: (theirs: string, ours: string) => boolean;
}

const withoutMembers =
  (...names: readonly string[]) =>
  (theirs: string, ours: string) => {
    const bare = (text: string) => {
      const members = JSON.parse(text) as Record<string, unknown>;
      for (const name of names) delete members[name];
      return JSON.stringify(members);
    };
    return bare(theirs) === bare(ours);
  };

/** Integers beyond 2^53 as a double has them. */
const rounded = (text: string) => text.replaceAll(/\d{16,}/g, (digits) => String(Number(digits)));

export const departures: readonly Departure[] = [
  {
    what: "integers beyond 2^53 keep their digits",
    parts: /: body$/,
    explains: (theirs, ours) => theirs === rounded(ours),
  },
  {
    what: "engines are not asked for compressed answers that the client did not ask for",
    parts: /: accept-encoding$/,
    explains: (theirs, ours) => theirs === "gzip" && ours === "",
  },
  {
    what: "answers name the prefiller whose cache was used",
    parts: /^answer: x-prefilled-by$/,
    explains: (theirs, ours) => theirs === "" && ours === "PREFILLER",
  },
  {
    what: "one request id on both legs, the client's where there is one",
    parts: /: x-request-id$/,
    explains: (theirs, ours) => [`${ours}, UUID`, ""].includes(theirs),
  },
  {
    what: "fields by which engines find caches are taken out of what clients send",
    parts: /^decode: body$/,
    requests: /^an engine's fields, no prefiller$/,
    explains: (theirs, ours) =>
      theirs.includes("kv_transfer_params") && !ours.includes("kv_transfer_params"),
  },
  {
    what: "routing headers end at the sidecar",
    parts: /^decode: x-prefiller-host-port$/,
    requests: /^another path$/,
  },
  {
    what: "a prefiller that fails, or is not there, costs nobody a request: the decoder prefills",
    parts: /./,
    requests: /^a prefiller (without an address|that is gone|that fails)$/,
  },
  {
    what: "a decoder that fails is asked once again, without the transfer",
    parts: /./,
    requests: /^a decoder that fails$/,
  },
  {
    what: "a prefiller that hands nothing over: no transfer is named, and the cached tokens are the decoder's own",
    parts: /^(decode: body|answer: (body|x-prefill-failed))$/,
    requests: /^a prefiller that hands nothing over$/,
  },
  {
    what: "refusals are JSON by their type, in other words",
    parts: /^answer: (content-type|body)$/,
    requests: /^a body that is not JSON$/,
  },
  {
    what: "prefill legs of Mooncake and of offloading have all three limits of one token",
    parts: /^prefill: body$/,
    requests: /^(Mooncake|offloading)/,
    explains: withoutMembers("max_completion_tokens", "min_tokens"),
  },
  {
    what: "a shared storage is asked without `cache_hit_threshold`, which vLLM does not have, and without a stream",
    parts: /^(prefill|decode): body$/,
    requests: /^shared storage/,
    explains: withoutMembers("cache_hit_threshold", "min_tokens", "stream"),
  },
  {
    what: "engines behind encoders are asked without `cache_hit_threshold`",
    parts: /^(prefill|decode): body$/,
    requests: /^encoders/,
    explains: withoutMembers("cache_hit_threshold"),
  },
  {
    what: "cached tokens are the prefiller's with a shared storage too",
    parts: /^answer: body$/,
    requests: /^shared storage/,
    explains: (theirs, ours) =>
      theirs.replace('"cached_tokens":189', '"cached_tokens":32') === ours,
  },
];
