/** A rule or constant of load prediction, and the change of the source that removes it. */
export interface Ablation {
  readonly term: string;
  /** Below `scheduling/`. */
  readonly file: string;
  /** Text that the file has once. */
  readonly from: string;
  readonly to: string;
}

/** Rules of one file: the name, the text, and what takes its place. */
const of = (
  file: string,
  ...rules: ReadonlyArray<readonly [term: string, from: string, to: string]>
): Ablation[] => rules.map(([term, from, to]) => ({ term, file, from, to }));

export const ablations: readonly Ablation[] = [
  ...of(
    "plugins/prefill-cost-scorer.ts",
    ["least price", "const leastPrice = 1 / 8", "const leastPrice = 0"],
    ["busy tokens", "const busyTokens = 512", "const busyTokens = Infinity"],
    ["short prompts", "const noPrefix = 128", "const noPrefix = 0"],
    ["step tokens", "const stepTokens = 128", "const stepTokens = 0"],
    ["slots waited for", "slotTokens(endpoint.live, msPerToken) *", "0 *"],
    ["learning of arrivals", "const learning = 5_000", "const learning = 0"],
    ["grain", "const grain = 64", "const grain = 1"],
    ["recompute factor", ".default(2)", ".default(1)"],
    ["shared copies", ".default(40)", ".default(0)"],
    [
      "seconds per copy",
      "(secondsPerCopy * arrivals.perSecond(now)) / endpoints",
      "requestsPerCopy",
    ],
    ["tokens per request", ".default(64)", ".default(0)"],
    ["copies of slow engines", "Math.min(1, assumed.msPerToken / msPerToken)", "1"],
    ["requests that stay", "Math.max(soon, requests)", "soon"],
  ),
  ...of(
    "server-model/cost.ts",
    ["unknown slot", "const unknownSlot = 2_048", "const unknownSlot = 0"],
    ["memory", "hasMemoryFor(tokens, live, metrics) ? 0 : 1", "0"],
    [
      "reported requests",
      "Math.max(endpoint.live.runningRequests, reported)",
      "endpoint.live.runningRequests",
    ],
  ),
  ...of(
    "server-model/endpoint-load.ts",
    [
      "prompts of other pickers",
      "runningTokens - computedTokens + othersTokens",
      "runningTokens - computedTokens",
    ],
    ["prompt progress", "runningTokens - computedTokens +", "runningTokens +"],
  ),
  ...of(
    "server-model/prefill-speeds.ts",
    ["slowness by prompts", "Math.max(bySpeed, byDelay)", "byDelay"],
    ["slowness by delay", "Math.max(bySpeed, byDelay)", "bySpeed"],
  ),
  ...of(
    "server-model/prefill-speed.ts",
    ["speed of the pool", "return ms / tokens;", "return assumed.msPerToken;"],
    [
      "time for other pickers' prompts",
      "ahead === 0 ? 1 : ahead / (ahead + (live.othersTokens ?? 0))",
      "1",
    ],
  ),
  ...of(
    "server-model/places.ts",
    [
      "limits of servers",
      "metrics.maxRunningRequests ?? this.#most",
      "metrics.maxRunningRequests ?? Infinity",
    ],
    ["time until a slot", "this.#ended.msUntilNext(metrics.at)", "0"],
  ),
  ...of("server-model/step-time.ts", [
    "long steps",
    "return this.#steps > 0 && at - this.since >= (2 * this.#ms) / this.#steps",
    "return false",
  ]),
  ...of("server-model/others-prompts.ts", [
    "sizes of prompts",
    "if (size <= tokens) continue;",
    "",
  ]),
  ...of(
    "prefix-cache/rent.ts",
    ["rents", "shortage < leastShortage", "true"],
    ["rents of popular prompts", "Math.max(0, 1 - count * share)", "1"],
  ),
  ...of("prefix-cache/copy-price.ts", [
    "worth of choice",
    "const worthOfChoice = 2",
    "const worthOfChoice = 1",
  ]),
  ...of("prefix-cache/popularity.ts", [
    "unseen prompts",
    "const unseenPrompts = 32",
    "const unseenPrompts = 0",
  ]),
  ...of(
    "prefix-cache/prefix-cache.ts",
    ["homes", "count > 1\n", "false\n"],
    ["homes by reuse", "Math.max(least, most * Math.min(1, count * this.#reuse.value))", "most"],
    ["tokens of homes", "tokens: 4_096 }", "tokens: Infinity }"],
  ),
  ...of("prefix-cache/home.ts", ["full homes", "withRoom(candidates, beyond)", "candidates"]),
  ...of(
    "credit/cheaper-elsewhere.ts",
    ["waiting for a cheaper server", "if (!(saved >= fewest)) return false;", "return false;"],
    ["least that a wait saves", "const fewest = 1_024", "const fewest = 1"],
    ["worth of a token", "const worth = 2", "const worth = 1"],
    ["short waits", "const shortWait = 4_096", "const shortWait = 0"],
    ["contested slots", "isContested ? longestContested :", ""],
    ["slots of cheaper servers", "(until.get(endpoint) ?? 0) / msPerToken", "0"],
    ["second question", "if (isNew) return false;", "return false;"],
  ),
  ...of(
    "server-model/learnt-slots.ts",
    [
      "slots in use",
      "runningRequests >= inUse * usable * this.#slots || at - since >= patience",
      "at - since >= patience",
    ],
    ["few tries", "const fewTries = 4", "const fewTries = 1"],
    ["doubled tries", "this.#tried *= 2", "this.#tried *= 1"],
    ["longer pauses", "Math.min(2 * this.#pause, pauses.longest)", "this.#pause"],
    ["steps beyond slots", "isQueue || isBeyond", "isQueue"],
    ["unused tries", "(through === 1 || this.#isUnused(load, at))", "through === 1"],
    ["tries taken back", "this.#isTry && (", "false && ("],
    ["slots not wanted", "if (isKnown && !isWanted) return false;", ""],
    ["slots of idle servers", "if (!this.#limitSeen && !isWanted)", "if (false)"],
  ),
  ...of(
    "credit/pool-look.ts",
    [
      "spared busy servers",
      "sparesBusy && computesPrompts && live.streamedTokens >= longPrompts",
      "false",
    ],
    ["slots of unread servers", "const untoldSlots = 100", "const untoldSlots = firstSlots"],
  ),
  ...of("credit/server.ts", [
    "unused slots of others",
    "part + Math.floor(Math.max(0, slots - part - reading.others) / 2)",
    "part",
  ]),
  ...of("credit/server-work.ts", [
    "unanswered of others",
    "pickers > 1 ? open : prefillingOf(live, metrics)",
    "prefillingOf(live, metrics)",
  ]),
  ...of("server-model/waited-steps.ts", [
    "queue by arrivals",
    "metrics.waitingRequests - came > 1",
    "true",
  ]),
];
