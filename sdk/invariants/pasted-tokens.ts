import type { Path } from "../errors.ts";
import { tokenIn } from "../hidden-tokens.ts";
import type { Finding } from "../invariant.ts";
import type { ContainerShape } from "../stack/shapes.ts";

/** Rule on tokens in containers. Shared by the rules on specs and on stacks. */
export const tokensAreInSecrets = {
  id: "tokens-are-in-secrets",
  title: "Commands, arguments and variables of a container contain no token as text",
  why: "Everyone who may read pods, manifests or the state of the stack can read the token.",
  source: "k8s.io docs, Good practices for Kubernetes Secrets",
  code: "reference",
} as const;

/** Returns the first place in each list of a container that contains a token as text; paths start at the container. */
export function* pastedTokens({ command, args, env }: ContainerShape): Iterable<Finding> {
  yield* firstToken("command", command ?? []);
  yield* firstToken("args", args ?? []);
  yield* firstToken(
    "env",
    (env ?? []).map(({ value }) => value),
    "value",
  );
}

function* firstToken(field: string, texts: readonly unknown[], key?: string): Iterable<Finding> {
  for (const [at, text] of texts.entries()) {
    const token = typeof text === "string" ? tokenIn(text) : undefined;
    if (token === undefined) continue;
    const path: Path = [field, at, ...(key === undefined ? [] : [key])];
    yield {
      path,
      given: `contains a token as text (${token})`,
      allowed: "a variable that a Secret sets",
      fix: "Store the token in a Secret, read it with valueFrom.secretKeyRef, and revoke this one. For a gated model, set model.token to the name of the Secret.",
    };
    return;
  }
}
