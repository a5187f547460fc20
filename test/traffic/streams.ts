import type OpenAI from "openai";

let asked = 0;

/** Streams an answer of `tokens` tokens to a prompt of its own. Throws if the answer ends early. */
export async function streamAnswer(client: OpenAI, tokens: number): Promise<void> {
  asked += 1;
  const prompt = `Question ${asked}. `.repeat(20);
  const body = { model: "m", prompt, max_tokens: tokens, stream: true } as const;
  const stream = await client.completions.create(body);
  let finish: string | null = null;
  let received = 0;
  for await (const { choices } of stream) {
    received += 1;
    finish = choices[0]?.finish_reason ?? finish;
  }
  if (finish === null) throw new Error(`the answer was cut after ${received} of ${tokens} tokens`);
}
