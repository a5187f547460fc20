import { tokenIn } from "../../hidden-tokens.ts";
import type { Finding } from "../../invariant.ts";

/** Rule on tokens in containers. Shared by the rules on specs and on stacks. */
export const tokensAreInSecrets = {
  id: "tokens-are-in-secrets",
  title: "Commands, arguments and variables of a container contain no token as text",
  why: "Everyone who may read pods, manifests or the state of the stack can read the token.",
  source: "k8s.io docs, Good practices for Kubernetes Secrets",
  code: "reference",
} as const;

/**
 * Returns the first place in each list of a container that contains a token as text; paths start at the container. Outputs
 * are skipped.
 */
export function* pastedTokens(container: Readonly<Record<string, unknown>>): Iterable<Finding> {
  for (const field of ["command", "args", "env"] as const) {
    const list = container[field];
    if (!Array.isArray(list)) continue;
    const texts = field === "env" ? list.map((variable) => variable?.value) : list;
    const tokens = texts.map((text) => (typeof text === "string" ? tokenIn(text) : undefined));
    const at = tokens.findIndex((token) => token !== undefined);
    if (at < 0) continue;
    yield {
      path: [field, at, ...(field === "env" ? ["value"] : [])],
      given: `contains a token as text (${tokens[at]})`,
      allowed: "a variable that a Secret sets",
      fix: "Store the token in a Secret, read it with valueFrom.secretKeyRef, and revoke this one. For a gated model, set model.token to the name of the Secret.",
    };
  }
}
