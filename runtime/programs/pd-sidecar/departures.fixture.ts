/** A difference from llm-d's sidecar, as listed in docs/prefill-decode.md. */
export interface Departure {
  /** Text of the list item. */
  readonly what: string;
  /** Pattern for the parts of a record that differ for this reason. */
  readonly parts: RegExp;
  /** Pattern for the titles of the requests that differ. Default: all. */
  readonly requests?: RegExp;
  /** Whether the two values differ for this reason only. Default: not checked. */
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

/** Rounds integers beyond 2^53 as a double does. */
const rounded = (text: string) => text.replaceAll(/\d{16,}/g, (digits) => String(Number(digits)));

export const departures: readonly Departure[] = [
  {
    what: "integers beyond 2^53 keep their digits",
    parts: /: body$/,
    explains: (theirs, ours) => theirs === rounded(ours),
  },
  {
    what: "requests to engines have no `accept-encoding` unless the client sent one",
    parts: /: accept-encoding$/,
    explains: (theirs, ours) => theirs === "gzip" && ours === "",
  },
  {
    what: "answers contain the prefiller whose cache was used",
    parts: /^answer: x-prefilled-by$/,
    explains: (theirs, ours) => theirs === "" && ours === "PREFILLER",
  },
  {
    what: "both legs have the same request id, the client's if it sent one",
    parts: /: x-request-id$/,
    explains: (theirs, ours) => [`${ours}, UUID`, ""].includes(theirs),
  },
  {
    what: "fields with which engines find caches are removed from client requests",
    parts: /^decode: body$/,
    requests: /^an engine's fields, no prefiller$/,
    explains: (theirs, ours) =>
      theirs.includes("kv_transfer_params") && !ours.includes("kv_transfer_params"),
  },
  {
    what: "the sidecar removes routing headers",
    parts: /^decode: x-prefiller-host-port$/,
    requests: /^another path$/,
  },
  {
    what: "if a prefiller fails or is missing, the decoder prefills and the request succeeds",
    parts: /./,
    requests: /^a prefiller (without an address|that is gone|that fails)$/,
  },
  {
    what: "a request to a decoder that fails is retried once, without the transfer",
    parts: /./,
    requests: /^a decoder that fails$/,
  },
  {
    what: "if a prefiller transfers nothing, the decoder gets no transfer object and reports its own cached tokens",
    parts: /^(decode: body|answer: (body|x-prefill-failed))$/,
    requests: /^a prefiller that hands nothing over$/,
  },
  {
    what: "errors have the JSON content type and different text",
    parts: /^answer: (content-type|body)$/,
    requests: /^a body that is not JSON$/,
  },
  {
    what: "prefill legs of Mooncake and offloading set all three limits to one token",
    parts: /^prefill: body$/,
    requests: /^(Mooncake|offloading)/,
    explains: withoutMembers("max_completion_tokens", "min_tokens"),
  },
  {
    what: "requests with shared storage have no `cache_hit_threshold`, which vLLM does not support, and no stream",
    parts: /^(prefill|decode): body$/,
    requests: /^shared storage/,
    explains: withoutMembers("cache_hit_threshold", "min_tokens", "stream"),
  },
  {
    what: "requests to engines after encoders have no `cache_hit_threshold`",
    parts: /^(prefill|decode): body$/,
    requests: /^encoders/,
    explains: withoutMembers("cache_hit_threshold"),
  },
  {
    what: "shared storage also reports the prefiller's count of cached tokens",
    parts: /^answer: body$/,
    requests: /^shared storage/,
    explains: (theirs, ours) =>
      theirs.replace('"cached_tokens":189', '"cached_tokens":32') === ours,
  },
];
