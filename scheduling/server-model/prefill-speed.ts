import type { LiveState } from "../endpoint.ts";

/** What is believed of a pool before it has computed as many tokens: engines compute some 5,000 to 20,000 a second. */
export const assumed = { tokens: 8_192, msPerToken: 0.1 };

/** Prompt tokens from which a server's steps are full of them: until their answers begin it computes little else. */
const fullOfPrompts = 1_024;

/** Tokens over which the speed is learnt, the older ones less. */
const memory = 65_536;

/** Milliseconds between two readings beyond which nobody knows what the server did: it could not even be asked. */
const longest = 2_000;

/** What this picker sent to a server, and what others did as far as is known. */
type PromptTokens = Pick<LiveState, "sentTokens" | "runningTokens"> &
  Partial<Pick<LiveState, "othersTokens">>;

/** Prompt tokens at a server when its metrics were read. */
interface PromptsAt {
  /** Milliseconds. */
  readonly at: number;
  readonly computed: number;
  readonly ahead: number;
  /** Part of them that this picker sent, as far as is known. */
  readonly share: number;
}

/**
 * How fast a model server computes prompts, learnt from what was sent there and whose answers have begun. Only time counts
 * in which it has prompts to compute, and it counts once however many: a request that waits for others makes no server slow. It
 * counts when an answer begins, with the tokens: else a server would be slow as long as it computes a document.
 * Where other pickers' prompts are computed too, the time counts for these as well.
 */
export class PrefillSpeed {
  #tokens = 0;
  #ms = 0;
  /** Milliseconds of work on prompts whose answers have not begun. */
  #begun = 0;
  #last: PromptsAt | undefined;

  /** Prompt tokens, and the milliseconds in which they were computed; the newest count most. Both are 0 before the first. */
  get seen(): { readonly tokens: number; readonly ms: number } {
    return { tokens: this.#tokens, ms: this.#ms };
  }

  /** The server's metrics were read. */
  read(at: number, live: PromptTokens): void {
    const last = this.#last;
    const ahead = live.runningTokens;
    const computed = live.sentTokens - ahead;
    const share = ahead === 0 ? 1 : ahead / (ahead + (live.othersTokens ?? 0));
    this.#last = { at, computed, ahead, share };
    if (last === undefined || last.ahead < fullOfPrompts || at - last.at > longest) {
      this.#begun = 0;
      return;
    }
    this.#begun += last.share * (at - last.at);
    const tokens = Math.max(0, computed - last.computed);
    if (tokens === 0) return;
    const kept = memory / (memory + tokens);
    this.#tokens = kept * (this.#tokens + tokens);
    this.#ms = kept * (this.#ms + this.#begun);
    this.#begun = 0;
  }
}

/** Milliseconds in which servers compute a prompt token: of all of them together, since they are most likely alike. */
export function msPerToken(speeds: ReadonlyArray<Pick<PrefillSpeed, "seen">>): number {
  let { tokens } = assumed;
  let ms = assumed.tokens * assumed.msPerToken;
  for (const { seen } of speeds) {
    tokens += seen.tokens;
    ms += seen.ms;
  }
  return ms / tokens;
}
