import { arrivals, closedLoop, seconds } from "./arrivals.ts";
import { largeEngine } from "./public-traces.ts";
import type { Random } from "./random.ts";
import type { Arrival, Trace } from "./trace.ts";

/**
 * Sessions of a coding agent in a closed loop: each turn follows the answer before it. Lengths and times range from the tenth to
 * the ninetieth percentile of 60 Claude Code sessions (callanjfox/kv-cache-tester, commit 94f6046). No first prompt is longer
 * than 60,000 tokens. Think times are a tenth, at most 3 s.
 */
const session = {
  turns: 10,
  beginWithin: 20 * seconds,
  firstPrompt: [15_000, 60_000],
  growth: [200, 5_300],
  answer: [110, 950],
  thinkMs: [400, 23_000],
  longestThinkMs: 3_000,
} as const;

/** Returns the trace of a number of sessions on four pods, whose caches hold 1.6 million tokens. */
export const agentSessions =
  (sessions: number) =>
  (random: Random): Omit<Trace, "name"> => ({
    ...{ pods: 4, engine: largeEngine, measureFrom: 0, endsAt: 120 * seconds },
    requests: Array.from({ length: sessions }, (_, at) => ({
      ...firstTurn(random),
      at: (at * session.beginWithin) / sessions,
    })),
  });

/** Chats of one turn. Lengths range from the tenth to the ninetieth percentile of Azure's conversations of 2023. */
const chat = { perSecond: 7, prompt: [207, 2_735], answer: [54, 424] } as const;

/** Returns the trace of a number of sessions and of chats, which share nothing. */
export const agentsAndChats =
  (sessions: number) =>
  (random: Random): Omit<Trace, "name"> => {
    const agents = agentSessions(sessions)(random);
    const chats = arrivals(
      random,
      { requestsPerSecond: chat.perSecond, until: agents.endsAt ?? 0 },
      () => ({
        prompt: `chat ${random.text(random.scaled(...chat.prompt))}`,
        outputTokens: random.scaled(...chat.answer),
      }),
    );
    return { ...agents, requests: [...agents.requests, ...chats].sort((a, b) => a.at - b.at) };
  };

function firstTurn(random: Random): Arrival {
  const prompts = [random.text(random.scaled(...session.firstPrompt))];
  for (let turn = 1; turn < session.turns; turn += 1)
    prompts.push(`${prompts.at(-1)}${random.text(random.scaled(...session.growth))}`);
  const turns = prompts.map((prompt) => ({
    ...{ prompt, outputTokens: random.scaled(...session.answer) },
  }));
  return closedLoop(
    turns,
    (turn) => turn,
    () => Math.min(session.longestThinkMs, random.scaled(...session.thinkMs)),
  );
}
